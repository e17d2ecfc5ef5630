/*
 * Rows of tables as Arrow C streams in capsules, for icefsck/__init__.py. Nothing else is
 * done here: the thread that makes rows (see ice_arrow_stream) never touches Python.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <icefsck.h>

#include "arrow/abi.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CAPSULE_STREAM "arrow_array_stream"
#define CAPSULE_TROUBLES "icefsck_troubles"

/* ---- broken places on the way -------------------------------------------------------
 */

enum { TROUBLES_KEPT = 100 };

/* Shared by the query and by who asks for them. */
struct troubles {
    pthread_mutex_t lock;
    int refs;
    size_t n, n_kept;
    char texts[TROUBLES_KEPT][600];
};

static struct troubles *new_troubles(void) {
    struct troubles *t = calloc(1, sizeof(*t));
    if (t == NULL)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    t->refs = 1;
    return t;
}

static void drop_troubles(struct troubles *t) {
    pthread_mutex_lock(&t->lock);
    int refs = --t->refs;
    pthread_mutex_unlock(&t->lock);
    if (refs > 0)
        return;
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static void drop_troubles_capsule(PyObject *capsule) {
    drop_troubles(PyCapsule_GetPointer(capsule, CAPSULE_TROUBLES));
}

/* ---- queries ------------------------------------------------------------------------
 */

/* What one stream is asked of; everything is a copy. */
struct query {
    enum query_kind { QUERY_INSPECT, QUERY_DIFF, QUERY_HISTORY } kind;
    char *path, *what, *columns, *snapshot, *metadata, *from, *to;
    int readable_bounds, partial;
    unsigned long long max_memory; /* bytes, 0: the default */
    unsigned int jobs;
    char **maps; /* from, to, from, to ... */
    size_t n_map_texts;
    struct troubles *troubles;
    ice_row_fn on_row; /* of the stream, while it runs */
    void *row_user;
};

static void free_query(void *user) {
    struct query *q = user;
    if (q == NULL)
        return;
    for (size_t i = 0; i < q->n_map_texts; i++)
        free(q->maps[i]);
    free(q->maps);
    free(q->path);
    free(q->what);
    free(q->columns);
    free(q->snapshot);
    free(q->metadata);
    free(q->from);
    free(q->to);
    if (q->troubles != NULL)
        drop_troubles(q->troubles);
    free(q);
}

static void on_trouble(const struct ice_error *trouble, void *user) {
    struct query *q = user;
    struct troubles *t = q->troubles;
    pthread_mutex_lock(&t->lock);
    t->n++;
    if (t->n_kept < TROUBLES_KEPT)
        (void)snprintf(t->texts[t->n_kept++], sizeof(t->texts[0]), "%s%s%s",
                       trouble->file, trouble->file[0] != '\0' ? ": " : "",
                       trouble->message);
    pthread_mutex_unlock(&t->lock);
}

static enum ice_status on_row(const struct ice_column *columns,
                              const struct ice_value *values, size_t n, void *user) {
    struct query *q = user;
    return q->on_row(columns, values, n, q->row_user);
}

static enum ice_status run_query(struct query *q, const struct ice_options *options,
                                 struct ice_error *err) {
    struct ice_diff_request request = {.from = q->from, .to = q->to};
    switch (q->kind) {
    case QUERY_INSPECT:
        return ice_inspect(q->path, q->what, q->readable_bounds, options, on_row,
                           on_trouble, q, err);
    case QUERY_DIFF:
        return ice_diff(q->path, &request, options, on_row, on_trouble, q, NULL, err);
    case QUERY_HISTORY:
        return ice_history(q->path, options, on_row, on_trouble, q, err);
    }
    return ICE_EARG;
}

/* Rows that lack those of a broken file must not pass for all of them. */
static enum ice_status judge_troubles(struct query *q, struct ice_error *err) {
    struct troubles *t = q->troubles;
    pthread_mutex_lock(&t->lock);
    size_t n = t->n;
    if (n > 0 && !q->partial) {
        err->status = ICE_EFORMAT;
        (void)snprintf(
            err->message, sizeof(err->message),
            "%zu place%s could not be read; partial=True gives the other rows. "
            "The first: %.150s",
            n, n == 1 ? "" : "s", t->texts[0]);
    }
    pthread_mutex_unlock(&t->lock);
    return n > 0 && !q->partial ? ICE_EFORMAT : ICE_OK;
}

static enum ice_status produce(ice_row_fn stream_row, void *row_user, void *user,
                               struct ice_error *err) {
    struct query *q = user;
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_map_entry *maps = NULL;
    size_t n_maps = q->n_map_texts / 2;
    if (n_maps > 0 && (maps = calloc(n_maps, sizeof(*maps))) == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < n_maps; i++)
        maps[i] = (struct ice_map_entry){q->maps[2 * i], q->maps[2 * i + 1]};
    options.maps = maps;
    options.n_maps = n_maps;
    options.snapshot = q->snapshot;
    options.metadata = q->metadata;
    options.limits.memory = q->max_memory;
    options.jobs = q->jobs;
    q->on_row = stream_row;
    q->row_user = row_user;
    enum ice_status status = run_query(q, &options, err);
    free(maps);
    return status < 0 ? status : judge_troubles(q, err);
}

/* ---- Python -------------------------------------------------------------------------
 */

static int copy_text(char **out, const char *text) {
    if (text == NULL)
        return 0;
    *out = strdup(text);
    if (*out == NULL)
        PyErr_NoMemory();
    return *out == NULL ? -1 : 0;
}

/* maps: a list of bytes, from and to in turn. */
static int copy_maps(struct query *q, PyObject *maps) {
    Py_ssize_t n = PyList_Size(maps);
    if (n < 0)
        return -1;
    q->maps = calloc((size_t)n + 1, sizeof(*q->maps));
    if (q->maps == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *text = PyBytes_AsString(PyList_GetItem(maps, i));
        if (text == NULL || copy_text(&q->maps[i], text) < 0)
            return -1;
        q->n_map_texts++;
    }
    return 0;
}

static enum query_kind kind_of(const char *what) {
    return strcmp(what, "diff") == 0      ? QUERY_DIFF
           : strcmp(what, "commits") == 0 ? QUERY_HISTORY
                                          : QUERY_INSPECT;
}

static struct query *new_query(PyObject *args, PyObject *kwargs) {
    static char *names[] = {
        "path", "what",    "columns", "snapshot",        "metadata",   "from", "to",
        "maps", "partial", "jobs",    "readable_bounds", "max_memory", NULL};
    const char *path, *what, *columns = NULL, *snapshot = NULL, *metadata = NULL;
    const char *from = NULL, *to = NULL;
    PyObject *maps = NULL;
    struct query *q = calloc(1, sizeof(*q));
    if (q == NULL || (q->troubles = new_troubles()) == NULL) {
        PyErr_NoMemory();
        free_query(q);
        return NULL;
    }
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "ys|zzzzzO!pIpK", names, &path, &what,
                                    &columns, &snapshot, &metadata, &from, &to,
                                    &PyList_Type, &maps, &q->partial, &q->jobs,
                                    &q->readable_bounds, &q->max_memory) &&
        copy_text(&q->path, path) == 0 && copy_text(&q->what, what) == 0 &&
        copy_text(&q->columns, columns) == 0 && copy_text(&q->snapshot, snapshot) == 0 &&
        copy_text(&q->metadata, metadata) == 0 && copy_text(&q->from, from) == 0 &&
        copy_text(&q->to, to) == 0 && (maps == NULL || copy_maps(q, maps) == 0)) {
        q->kind = kind_of(q->what);
        return q;
    }
    free_query(q);
    return NULL;
}

static void drop_stream_capsule(PyObject *capsule) {
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, CAPSULE_STREAM);
    if (stream->release != NULL)
        stream->release(stream);
    free(stream);
}

static PyObject *stream(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    struct query *q = new_query(args, kwargs);
    if (q == NULL)
        return NULL;
    struct troubles *troubles = q->troubles;
    troubles->refs++; /* of the second capsule; nobody else knows them yet */
    struct ice_error err = {0};
    struct ArrowArrayStream *out = calloc(1, sizeof(*out));
    PyObject *capsule = NULL, *second = NULL;
    if (out == NULL)
        free_query(q);
    else if (ice_arrow_stream(out, q->columns, NULL, produce, free_query, q, &err) < 0)
        PyErr_SetString(PyExc_RuntimeError, err.message);
    if (out != NULL && out->release != NULL)
        capsule = PyCapsule_New(out, CAPSULE_STREAM, drop_stream_capsule);
    else if (out == NULL)
        PyErr_NoMemory();
    if (capsule != NULL)
        second = PyCapsule_New(troubles, CAPSULE_TROUBLES, drop_troubles_capsule);
    if (second == NULL) {
        if (capsule == NULL) {
            if (out != NULL && out->release != NULL)
                out->release(out);
            free(out);
        }
        Py_XDECREF(capsule);
        drop_troubles(troubles);
        return NULL;
    }
    return Py_BuildValue("(NN)", capsule, second);
}

static PyObject *troubles_list(PyObject *self, PyObject *capsule) {
    (void)self;
    struct troubles *t = PyCapsule_GetPointer(capsule, CAPSULE_TROUBLES);
    if (t == NULL)
        return NULL;
    PyObject *list = PyList_New(0);
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; list != NULL && i < t->n_kept; i++) {
        PyObject *text =
            PyUnicode_DecodeUTF8(t->texts[i], (Py_ssize_t)strlen(t->texts[i]), "replace");
        if (text == NULL || PyList_Append(list, text) < 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    size_t n = t->n;
    pthread_mutex_unlock(&t->lock);
    return list == NULL ? NULL : Py_BuildValue("(Nn)", list, (Py_ssize_t)n);
}

static PyObject *names(PyObject *self, PyObject *nothing) {
    (void)self;
    (void)nothing;
    PyObject *list = PyList_New(0);
    for (const char *const *name = ice_inspect_names(); list != NULL && *name != NULL;
         name++) {
        PyObject *text = PyUnicode_FromString(*name);
        if (text == NULL || PyList_Append(list, text) < 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

static PyObject *version(PyObject *self, PyObject *nothing) {
    (void)self;
    (void)nothing;
    return PyUnicode_FromString(ice_version());
}

static PyMethodDef methods[] = {
    {"stream", (PyCFunction)(void (*)(void))stream, METH_VARARGS | METH_KEYWORDS,
     "A capsule with an Arrow C stream, and one with the broken places on its way."},
    {"troubles", troubles_list, METH_O, "Texts of the broken places, and their number."},
    {"names", names, METH_NOARGS, "The tables that inspect knows."},
    {"version", version, METH_NOARGS, "Version of the library."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "icefsck._core",
    .m_size = 0,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
    return PyModule_Create(&module);
}
