/*
 * Policies were read by events, wherever they stand; whose they are shows in the tree, by
 * the place of each in the file.
 */
#include "conf/iam_account.h"

#include "conf/arn.h"
#include "conf/setup.h"

/* AWS lets a role have 25 at most; more are no account's. */
enum { MOST_ATTACHED = 1000 };

/* From this offset on, up to that of the next one: is it the role's? */
struct mark {
    uint64_t offset;
    bool is_kept;
};

struct marks {
    struct mark *items;
    size_t n;
};

bool ice_iam_is_account(const struct ice_conf_node *root) {
    return ice_conf_is(ice_conf_member(root, "RoleDetailList"), ICE_JSON_ARRAY);
}

static struct ice_str text_of(const struct ice_conf_node *node, const char *key) {
    return ice_conf_node_text(ice_conf_member(node, key));
}

static const struct ice_conf_node *first_of(const struct ice_conf_node *node,
                                            const char *key) {
    const struct ice_conf_node *list = ice_conf_member(node, key);
    return ice_conf_is(list, ICE_JSON_ARRAY) ? list->first : NULL;
}

/* ---- the role ---- */

/* Behind the last slash. */
static struct ice_str last_part(struct ice_str text) {
    size_t slash = ice_str_rfind(text, '/');
    return slash == SIZE_MAX ? text : ice_str_from_index(text, slash + 1);
}

/* Glue takes the name of a role, also with its path in front. */
static bool is_called(const struct ice_conf_node *role, struct ice_str wanted) {
    struct ice_arn arn;
    if (ice_str_equal(text_of(role, "Arn"), wanted))
        return true;
    for (const struct ice_conf_node *n = first_of(role, "InstanceProfileList"); n != NULL;
         n = n->next) {
        if (ice_str_equal(text_of(n, "Arn"), wanted))
            return true;
    }
    return !ice_arn_parse(wanted, &arn) && ice_arn_parse(text_of(role, "Arn"), &arn) &&
           ice_str_starts(arn.resource, ICE_STR("role/")) &&
           ice_str_equal(last_part(arn.resource), last_part(wanted));
}

static const struct ice_conf_node *find_role(const struct ice_conf_node *root,
                                             struct ice_str wanted) {
    const struct ice_conf_node *first = first_of(root, "RoleDetailList");
    if (wanted.size == 0)
        return first != NULL && first->next == NULL ? first : NULL;
    for (const struct ice_conf_node *role = first; role != NULL; role = role->next) {
        if (is_called(role, wanted))
            return role;
    }
    return NULL;
}

static bool is_attached(const struct ice_conf_node *role, struct ice_str policy) {
    size_t n = 0;
    for (const struct ice_conf_node *a = first_of(role, "AttachedManagedPolicies");
         a != NULL && n < MOST_ATTACHED; a = a->next, n++) {
        if (policy.size > 0 && ice_str_equal(text_of(a, "PolicyArn"), policy))
            return true;
    }
    return false;
}

/* ---- whose is what ---- */

static void add_mark(struct marks *marks, const struct ice_conf_node *node,
                     bool is_kept) {
    marks->items[marks->n++] = (struct mark){node->offset, is_kept};
}

/* Of several versions one is in force. */
static void mark_versions(struct marks *marks, const struct ice_conf_node *policy) {
    for (const struct ice_conf_node *n = first_of(policy, "PolicyVersionList"); n != NULL;
         n = n->next)
        add_mark(marks, n,
                 !ice_conf_is(ice_conf_member(n, "IsDefaultVersion"), ICE_JSON_FALSE));
}

static void mark_all(struct marks *marks, const struct ice_conf_node *root,
                     const struct ice_conf_node *role, bool (*is_known)(struct ice_str),
                     size_t *out_n_documents) {
    for (const struct ice_conf_node *list = root->first; list != NULL;
         list = list->next) {
        bool is_policies = ice_str_is(list->key, "Policies");
        add_mark(marks, list, false);
        for (const struct ice_conf_node *n = list->first; n != NULL; n = n->next) {
            struct ice_str arn = text_of(n, "Arn");
            bool is_kept = is_policies ? is_attached(role, arn) : n == role;
            add_mark(marks, n, is_kept);
            if (!is_policies || !is_kept)
                continue;
            mark_versions(marks, n);
            *out_n_documents += is_known(arn) ? 0 : 1;
        }
    }
}

static bool is_kept(const struct marks *marks, uint64_t offset) {
    size_t low = 0, high = marks->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (marks->items[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && marks->items[low - 1].is_kept;
}

static void keep(const struct marks *marks, size_t n_attached,
                 struct ice_iam_policies *read) {
    size_t n = 0;
    for (size_t i = 0; i < read->n; i++) {
        if (is_kept(marks, read->statements[i].offset))
            read->statements[n++] = read->statements[i];
    }
    read->n = n;
    n = n_attached;
    for (size_t i = n_attached; i < read->attached.n; i++) {
        if (is_kept(marks, read->attached.items[i].offset))
            read->attached.items[n++] = read->attached.items[i];
    }
    read->attached.n = n;
}

static size_t count_nodes(const struct ice_conf_node *root) {
    size_t n = 0;
    for (const struct ice_conf_node *at = root; at != NULL; at = ice_conf_walk(root, at))
        n++;
    return n;
}

enum ice_status ice_iam_account_keep(struct ice_conf *conf,
                                     const struct ice_conf_input *input,
                                     struct ice_str wanted,
                                     bool (*is_known)(struct ice_str), size_t n_attached,
                                     struct ice_iam_policies *read,
                                     struct ice_iam_account *out) {
    struct marks marks = {0};
    *out = (struct ice_iam_account){.role = find_role(input->root, wanted)};
    marks.items =
        ice_arena_array(conf->arena, count_nodes(input->root), sizeof(*marks.items));
    if (marks.items == NULL)
        return ICE_ENOMEM;
    mark_all(&marks, input->root, out->role, is_known, &out->n_documents);
    keep(&marks, n_attached, read);
    read->lists_attached = ice_conf_member(out->role, "AttachedManagedPolicies") != NULL;
    read->role.text = text_of(out->role, "Arn");
    return ICE_OK;
}
