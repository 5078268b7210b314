#define _GNU_SOURCE
#include "CEditline.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct line_editor {
    EditLine *line;
    HistoryW *history;
    FILE *in, *out;
    line_editor_calls calls;
    wchar_t *prompt;
    bool interrupted;
    size_t discarded;
};

enum { HISTORY_LINES = 1000 };

static line_editor *editor_of(EditLine *line) {
    void *data = NULL;
    el_wget(line, EL_CLIENTDATA, &data);
    return data;
}

static wchar_t *prompt_of(EditLine *line) { return editor_of(line)->prompt; }

static int read_character(EditLine *line, wchar_t *character) {
    line_editor *editor = editor_of(line);
    return editor->calls.read(editor->calls.context, character);
}

static unsigned char complete(EditLine *line, int key) {
    (void)key;
    line_editor *editor = editor_of(line);
    editor->calls.complete(editor->calls.context);
    return CC_REFRESH;
}

static unsigned char interrupt(EditLine *line, int key) {
    (void)key;
    line_editor *editor = editor_of(line);
    const LineInfoW *info = el_wline(line);
    editor->discarded = (size_t)(info->lastchar - info->buffer);
    line_editor_hide(editor);
    editor->interrupted = true;
    return CC_NEWLINE;
}

static unsigned char suspend(EditLine *line, int key) {
    (void)key;
    line_editor *editor = editor_of(line);
    line_editor_hide(editor);
    el_wset(line, EL_PREP_TERM, 0);
    raise(SIGTSTP);
    el_wset(line, EL_PREP_TERM, 1);
    line_editor_show(editor);
    return CC_NORM;
}

/* libedit encodes and measures by LC_CTYPE; where that is not UTF-8 it would print question marks. */
static void use_unicode(void) {
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) setlocale(LC_CTYPE, "C.UTF-8");
}

static FILE *stream(int descriptor, const char *mode) {
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return copy < 0 ? NULL : fdopen(copy, mode);
}

line_editor *line_editor_open(const char *program, int input, int output, line_editor_calls calls) {
    use_unicode();
    line_editor *editor = calloc(1, sizeof *editor);
    if (editor == NULL) return NULL;
    editor->calls = calls;
    editor->prompt = wcsdup(L"");
    editor->in = stream(input, "r");
    editor->out = stream(output, "w");
    if (editor->in != NULL && editor->out != NULL) {
        editor->line = el_init(program, editor->in, editor->out, editor->out);
    }
    editor->history = history_winit();
    if (editor->line == NULL || editor->history == NULL || editor->prompt == NULL) {
        line_editor_close(editor);
        return NULL;
    }
    HistEventW event;
    history_w(editor->history, &event, H_SETSIZE, HISTORY_LINES);
    history_w(editor->history, &event, H_SETUNIQUE, 1);
    EditLine *line = editor->line;
    el_wset(line, EL_CLIENTDATA, editor);
    el_wset(line, EL_SIGNAL, 0);
    el_wset(line, EL_EDITOR, L"emacs");
    el_wset(line, EL_PROMPT, prompt_of);
    el_wset(line, EL_HIST, history_w, editor->history);
    el_wset(line, EL_GETCFN, read_character);
    el_wset(line, EL_ADDFN, L"satchel-complete", L"Complete the word", complete);
    el_wset(line, EL_ADDFN, L"satchel-interrupt", L"Discard the line", interrupt);
    el_wset(line, EL_ADDFN, L"satchel-suspend", L"Suspend", suspend);
    /* The keys of the signals come as characters, so that the terminal is in order whenever something happens. */
    el_wset(line, EL_SETTY, L"-d", L"-isig", NULL);
    el_wset(line, EL_BIND, L"^I", L"satchel-complete", NULL);
    el_wset(line, EL_BIND, L"^C", L"satchel-interrupt", NULL);
    el_wset(line, EL_BIND, L"^Z", L"satchel-suspend", NULL);
    el_wset(line, EL_BIND, L"^R", L"em-inc-search-prev", NULL);
    el_wset(line, EL_BIND, L"^W", L"ed-delete-prev-word", NULL);
    return editor;
}

void line_editor_close(line_editor *editor) {
    if (editor->line != NULL) el_end(editor->line);
    if (editor->history != NULL) history_wend(editor->history);
    if (editor->in != NULL) fclose(editor->in);
    if (editor->out != NULL) fclose(editor->out);
    free(editor->prompt);
    free(editor);
}

size_t line_editor_columns(int output) {
    struct winsize size;
    if (ioctl(output, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}

/* Moves a position on the screen, counted in cells from the prompt's start, past a text as libedit draws it. */
static size_t past(size_t cell, const wchar_t *text, size_t length, size_t columns) {
    for (size_t index = 0; index < length; index++) {
        int width = wcwidth(text[index]);
        if (width < 0) width = text[index] < 0x20 || text[index] == 0x7F ? 2 : 8;
        /* A wide character does not straddle the edge. */
        if (width == 2 && cell % columns == columns - 1) cell++;
        cell += (size_t)width;
    }
    return cell;
}

static void erase(line_editor *editor, size_t rows_up) {
    if (rows_up > 0) fprintf(editor->out, "\r\033[%zuA\033[J", rows_up);
    else fputs("\r\033[J", editor->out);
    fflush(editor->out);
}

static size_t columns_of(line_editor *editor) { return line_editor_columns(fileno(editor->out)); }

enum line_editor_end line_editor_read(
    line_editor *editor, const wchar_t *prompt, const wchar_t **text, size_t *length) {
    wchar_t *copy = wcsdup(prompt);
    if (copy == NULL) return LINE_EDITOR_EOF;
    free(editor->prompt);
    editor->prompt = copy;
    editor->interrupted = false;
    /* libedit would do this after the prompt: whoever answers it at once would still meet the usual keys. */
    el_wset(editor->line, EL_PREP_TERM, 1);
    int count = 0;
    const wchar_t *line = el_wgets(editor->line, &count);
    *text = L"";
    *length = 0;
    if (editor->interrupted) {
        *length = editor->discarded;
        return LINE_EDITOR_INTERRUPT;
    }
    if (line == NULL || count <= 0) {
        erase(editor, 0);
        return LINE_EDITOR_EOF;
    }
    size_t size = (size_t)count;
    if (line[size - 1] == L'\n' || line[size - 1] == L'\r') size--;
    size_t columns = columns_of(editor);
    size_t end = past(past(0, prompt, wcslen(prompt), columns), line, size, columns);
    erase(editor, end / columns + 1);
    *text = line;
    *length = size;
    return LINE_EDITOR_LINE;
}

void line_editor_hide(line_editor *editor) {
    const LineInfoW *info = el_wline(editor->line);
    size_t columns = columns_of(editor);
    size_t cell = past(0, editor->prompt, wcslen(editor->prompt), columns);
    erase(editor, past(cell, info->buffer, (size_t)(info->cursor - info->buffer), columns) / columns);
}

void line_editor_show(line_editor *editor) {
    el_wset(editor->line, EL_REFRESH);
}

void line_editor_prompt(line_editor *editor, const wchar_t *prompt) {
    wchar_t *copy = wcsdup(prompt);
    if (copy == NULL) return;
    free(editor->prompt);
    editor->prompt = copy;
}

void line_editor_resized(line_editor *editor) {
    el_resize(editor->line);
    line_editor_hide(editor);
    line_editor_show(editor);
}

void line_editor_text(line_editor *editor, const wchar_t **text, size_t *length, size_t *cursor) {
    const LineInfoW *info = el_wline(editor->line);
    *text = info->buffer;
    *length = (size_t)(info->lastchar - info->buffer);
    *cursor = (size_t)(info->cursor - info->buffer);
}

void line_editor_replace(line_editor *editor, size_t count, const wchar_t *text) {
    el_wdeletestr(editor->line, (int)count);
    el_winsertstr(editor->line, text);
}

void line_editor_remember(line_editor *editor, const wchar_t *text) {
    HistEventW event;
    history_w(editor->history, &event, H_ENTER, text);
}

static int signal_pipe[2] = {-1, -1};
static const int caught[] = {SIGWINCH, SIGTERM, SIGHUP, SIGINT};

static void note_signal(int number) {
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t written = write(signal_pipe[1], &byte, 1);
    (void)written; /* A full pipe holds enough news. */
    errno = saved;
}

static void set_handlers(void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (size_t index = 0; index < sizeof caught / sizeof caught[0]; index++) sigaction(caught[index], &action, NULL);
}

int line_editor_signals(void) {
    if (signal_pipe[0] < 0 && pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    set_handlers(note_signal);
    return signal_pipe[0];
}

void line_editor_forget_signals(void) { set_handlers(SIG_DFL); }
