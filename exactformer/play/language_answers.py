"""Questions about languages: the automaton of an expression, its run on a word, a recogniser and what it looks at."""

from __future__ import annotations

from exactformer.errors import Declined, InvalidInput, Malformed
from exactformer.io.json_lines import JsonObject, strict_json
from exactformer.languages.attend import attend
from exactformer.languages.automaton import Automaton
from exactformer.languages.compiled import Compiled, compile_language
from exactformer.languages.named import language
from exactformer.play.query import Answer, Query, bytes_of, verdict_on

#: characters of the longest expression and of the longest word
EXPRESSION, WORD = 400, 60
#: states that can still be drawn
STATES = 40


def answer_language(body: bytes, options: Query) -> Answer:
    """The minimal automaton, its run on the word, and weights with a proof for every length, or why there are none."""
    automaton, word = _asked(body)
    states = [automaton.start]
    for letter in word:
        states.append(automaton.run([letter], states[-1]))
    return {
        "automaton": automaton.json(),
        "run": states,
        "accepted": automaton.accepts(word),
        **_weights(automaton, word, options),
    }


def answer_recogniser(body: bytes, options: Query) -> Answer:
    """The certificate: of the recogniser for words of all lengths, or that there is none."""
    return bytes_of(_compiled(_asked(body)[0], options).certify)


def _asked(body: bytes) -> tuple[Automaton, list[str]]:
    """The automaton of the expression, and the letters of the word."""
    content = strict_json(body, "the question of the page")
    texts = [content.get(key) for key in ("expression", "word")] if isinstance(content, dict) else [None]
    if not all(isinstance(text, str) for text in texts):
        raise Malformed('the question of the page: expected {"expression": "..", "word": ".."}')
    expression, word = map(str, texts)
    if expression.endswith((".json", ".brasp")):
        raise InvalidInput("expected an expression or a name; files are for the command line")
    if len(expression) > EXPRESSION or len(word) > WORD:
        raise InvalidInput(f"expected at most {EXPRESSION} characters of an expression and {WORD} letters of a word")
    automaton = language(expression)
    letters = word.split() if any(len(letter) > 1 for letter in automaton.letters) else list(word)
    foreign = [letter for letter in dict.fromkeys(letters) if letter not in automaton.letters]
    if foreign:  # the complement of an expression, say, has words with letters that do not occur in it
        automaton = language(expression, letters=(*automaton.letters, *foreign))
    if len(automaton) > STATES:
        raise Declined(f"the automaton has {len(automaton)} states; the page draws at most {STATES}")
    return automaton, letters


def _compiled(automaton: Automaton, options: Query) -> Compiled:
    return compile_language(automaton, period="any" if options.get("period") == "any" else 1)


def _weights(automaton: Automaton, word: list[str], options: Query) -> JsonObject:
    try:
        found = _compiled(automaton, options)
    except Declined as problem:
        return {"compiled": None, "declined": str(problem)}
    answer: JsonObject = {"compiled": found.json(), "verdict": verdict_on(bytes_of(found.certify))}
    if found.possible:
        seen = attend(found.recogniser, word)
        heads = [[[list(c) for c in head] for head in step.follows] for step in seen.steps]
        answer |= {"names": seen.names, "heads": heads, "says": seen.verdict}
    return answer
