/*
 * From files to facts, inside of conf/.
 */
#ifndef ICE_CONF_SETUP_H
#define ICE_CONF_SETUP_H

#include "conf/conf.h"

/*
 * What is it? name: of the file; first: its first bytes (64 KiB are enough), inflated.
 * Pure. JSON is UNKNOWN here: see ice_conf_recognise_json.
 */
enum ice_conf_kind ice_conf_recognise(struct ice_str name, struct ice_str first);
/* The same for a JSON document, by the members that it has. */
enum ice_conf_kind ice_conf_recognise_json(struct ice_str name,
                                           const struct ice_conf_node *root);
/* Is it a bare list of library statuses? */
bool ice_conf_is_library_list(const struct ice_conf_node *root);
/* Does the text begin as a JSON object or array? */
bool ice_conf_is_json(struct ice_str first);

/*
 * Read and recognise one file and add it to conf->inputs. What cannot be read or
 * recognised is a finding and stays out: only memory, cancelling and misuse are errors.
 */
enum ice_status ice_conf_read_input(struct ice_conf *conf, const char *path,
                                    struct ice_error *err);

/* Is that the log of a reader? */
bool ice_conf_is_log(struct ice_conf *conf, struct ice_str first);
/* Its reads, into conf->reads; the log itself, which may have gigabytes, is not kept. */
enum ice_status ice_conf_read_log(struct ice_conf *conf,
                                  const struct ice_conf_input *input,
                                  struct ice_stream *stream, struct ice_error *err);

/* Facts of one input. ICE_ENOMEM. */
enum ice_status ice_conf_facts(struct ice_conf *conf, struct ice_conf_input *input);
enum ice_status ice_conf_facts_properties(struct ice_conf *conf,
                                          struct ice_conf_input *input);
enum ice_status ice_conf_facts_submit(struct ice_conf *conf,
                                      struct ice_conf_input *input);
enum ice_status ice_conf_facts_glue(struct ice_conf *conf, struct ice_conf_input *input);
enum ice_status ice_conf_facts_cluster(struct ice_conf *conf,
                                       struct ice_conf_input *input);
enum ice_status ice_conf_facts_libraries(struct ice_conf *conf,
                                         struct ice_conf_input *input);
enum ice_status ice_conf_facts_arrived(struct ice_conf *conf,
                                       struct ice_conf_input *input);
/* Scripts: settings in their text (text_facts.c). */
enum ice_status ice_conf_facts_text(struct ice_conf *conf, struct ice_conf_input *input);

/* Behind all inputs: commands take over what is shared. false: out of memory. */
bool ice_conf_settle_sessions(struct ice_conf *conf);
/* Free what a session holds; it is empty then. */
void ice_conf_session_release(struct ice_conf *conf, struct ice_conf_session *session);

/* Behind all facts: which sessions are judged, versions, and catalogs. ICE_ENOMEM. */
enum ice_status ice_conf_see_catalogs(struct ice_conf *conf);

/* An input has more of something than is looked at: that is no pass. */
void ice_conf_say_too_many(struct ice_conf *conf, const struct ice_conf_input *input);
/* ... one more session; then true. */
bool ice_conf_is_full(struct ice_conf *conf, const struct ice_conf_input *input);

void ice_conf_release(struct ice_conf *conf);

#endif
