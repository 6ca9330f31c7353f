"""Asks the judges of DOCX, by lines of JSON.

    judge.py DIRECTORY < questions

DIRECTORY has the judges as modules. A question is {"ask": "rules"|"pandoc", "file": …, "view": "accept"|"reject"}, answered
with {"text": …}, or {"ask": "check", "file": …, "base": …}, answered with {"findings": […]}: those that base does not have.
"""
import collections
import json
import sys

sys.path.insert(0, sys.argv[1])


def rules(q):
    import docx_text
    return {'text': docx_text.Doc(q['file'], q['view'], None).text(True)}


def pandoc(q):
    import oracle_pandoc
    return {'text': oracle_pandoc.text(q['file'], q['view'])[0]}


def check(q):
    import docx_check
    had = collections.Counter((code, what) for code, _, what in docx_check.check(q['base'])[1])
    new = []
    for code, where, what in docx_check.check(q['file'])[1]:
        if had[(code, what)] > 0:
            had[(code, what)] -= 1
        else:
            new.append('%s %s %s' % (code, where, what))
    return {'findings': new}


for line in sys.stdin:
    question = json.loads(line)
    try:
        answer = {'rules': rules, 'pandoc': pandoc, 'check': check}[question['ask']](question)
    except (Exception, SystemExit) as cause:
        answer = {'error': '%s: %s' % (type(cause).__name__, cause)}
    print(json.dumps(answer), flush=True)
