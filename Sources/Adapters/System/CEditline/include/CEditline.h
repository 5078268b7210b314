#ifndef CEDITLINE_H
#define CEDITLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/*
 * One line editor on the terminal, over libedit, whose setters are variadic and therefore out of Swift's reach.
 * Texts are wide characters: Unicode scalars on Linux.
 */
typedef struct line_editor line_editor;

/* What the editor calls while a line is being edited, all on the thread that called line_editor_read. */
typedef struct {
    void *context;
    /* Waits for a character: 1 and *character, 0 at the end of input, -1 to give up. */
    int (*read)(void *context, wchar_t *character);
    /* The user asks for completion. */
    void (*complete)(void *context);
} line_editor_calls;

/* Opens the editor on two descriptors of one terminal; NULL when libedit cannot use it. Sets LC_CTYPE. */
line_editor *line_editor_open(const char *program, int input, int output, line_editor_calls calls);
void line_editor_close(line_editor *editor);

/* How a line ended. */
enum line_editor_end { LINE_EDITOR_LINE, LINE_EDITOR_INTERRUPT, LINE_EDITOR_EOF };

/*
 * Edits one line behind a prompt, blocking, and wipes it from the screen when it is entered. The text is valid until the
 * next call and ends without a line feed. After an interrupt there is no text, and the length is what was discarded.
 */
enum line_editor_end line_editor_read(
    line_editor *editor, const wchar_t *prompt, const wchar_t **text, size_t *length);

/* Inside a callback: takes the line being edited off the screen, to print above it, and draws it again. */
void line_editor_hide(line_editor *editor);
void line_editor_show(line_editor *editor);
/* Inside a callback, between hide and show: another prompt. */
void line_editor_prompt(line_editor *editor, const wchar_t *prompt);
/* Inside a callback: the terminal has another size. */
void line_editor_resized(line_editor *editor);

/* Inside a callback: the text and how much of it is left of the cursor; not terminated. */
void line_editor_text(line_editor *editor, const wchar_t **text, size_t *length, size_t *cursor);
/* Inside a callback: replaces `count` characters left of the cursor. */
void line_editor_replace(line_editor *editor, size_t count, const wchar_t *text);

/* Puts a line into the history. */
void line_editor_remember(line_editor *editor, const wchar_t *text);

/*
 * Makes SIGWINCH, SIGTERM, SIGHUP and SIGINT write their number, one byte, to a pipe instead of their usual effect.
 * Returns the end to read, non-blocking, or -1. Once per process; later calls return the same.
 */
int line_editor_signals(void);
/* Gives the signals their usual effect back. */
void line_editor_forget_signals(void);

/* Columns of a terminal; 80 when it does not say. */
size_t line_editor_columns(int output);

#endif
