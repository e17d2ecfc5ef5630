/*
 * Untrusted text inside markup: character by character, and all bytes at once.
 */
#include "report/text_markup.h"

#include "support/cmocka_all.h"

#include "sink.h"

typedef void (*put_fn)(struct ice_text *text, struct ice_str untrusted);

static void check(put_fn put, const char *untrusted, const char *wanted) {
    struct sink sink = {.size = 0};
    struct ice_text text;
    ice_text_init(&text, sink_write, &sink);
    put(&text, ice_str_from(untrusted));
    assert_int_equal(ice_text_finish(&text), ICE_OK);
    assert_string_equal(sink.text, wanted);
}

static void xml_holds_no_markup(void **state) {
    (void)state;
    check(ice_text_xml, "<a b=\"c\">&'", "&lt;a b=&quot;c&quot;&gt;&amp;'");
    check(ice_text_xml, "]]>", "]]&gt;");
    check(ice_text_xml, "a\x01\n\x7f", "a\\x01\\x0a\\x7f");
    check(ice_text_xml, "\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd",
          "\\u{fffe}\\u{ffff}\xef\xbf\xbd");
    check(ice_text_xml, "\xff\xed\xa0\x80", "\\xff\\xed\\xa0\\x80");
}

static void commands_hold_no_command(void **state) {
    (void)state;
    check(ice_text_command, "50%0A::error::x\n", "50%250A::error::x\\x0a");
    check(ice_text_property, "a:b,c%2C", "a%3Ab%2Cc%252C");
}

static void markdown_is_text(void **state) {
    (void)state;
    check(ice_text_markdown, "a|b\\`*_[]<>&~#$!",
          "a&#124;b&#92;&#96;\\*\\_\\[\\]&lt;&gt;&amp;\\~\\#\\$\\!");
    check(ice_text_markdown, "http://a www.b a: b", "http\\://a www\\.b a: b");
    check(ice_text_markdown, "a@b @@c", "a`@`b \\@\\@c");
    check(ice_text_markdown, "\x1b[2J", "&#92;x1b\\[2J");
    check(ice_text_markdown_name, "metadata/m1.avro", "`metadata/m1.avro`");
    check(ice_text_markdown_name, "a`b", "a&#96;b");
    check(ice_text_markdown_name, "a|b", "a&#124;b");
    check(ice_text_markdown_name, " a", " a");
    check(ice_text_markdown_name, "a\n", "a&#92;x0a");
    check(ice_text_markdown_name, "", "");
}

/* Whatever the bytes: one line of printable characters. */
static void every_byte_stays_in_its_line(void **state) {
    (void)state;
    static const put_fn all[] = {ice_text_xml, ice_text_command, ice_text_property,
                                 ice_text_markdown, ice_text_markdown_name};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        for (unsigned a = 0; a < 256; a++) {
            char bytes[3] = {(char)a, (char)(255 - a), 'x'};
            struct sink sink = {.size = 0};
            struct ice_text text;
            ice_text_init(&text, sink_write, &sink);
            all[i](&text, (struct ice_str){bytes, sizeof(bytes)});
            assert_int_equal(ice_text_finish(&text), ICE_OK);
            for (size_t k = 0; k < sink.size; k++)
                assert_true((unsigned char)sink.text[k] >= 0x20 && sink.text[k] != 0x7f);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xml_holds_no_markup),
        cmocka_unit_test(commands_hold_no_command),
        cmocka_unit_test(markdown_is_text),
        cmocka_unit_test(every_byte_stays_in_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
