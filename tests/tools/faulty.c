/* faulty WORD: does what a sanitizer must see, also in a run that is served. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *volatile lost;

int main(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : "";
    size_t length = strlen(word);
    if (strcmp(word, "leak") == 0) {
        lost = malloc(length);
        lost = NULL;
    } else if (strcmp(word, "beyond") == 0) {
        char *volatile text = malloc(length);
        if (text != NULL)
            text[length] = 'x';
        free(text);
    } else if (strcmp(word, "overflow") == 0) {
        volatile int most = 2147483647;
        most = most + argc;
    }
    (void)printf("%s\n", word);
    return 0;
}
