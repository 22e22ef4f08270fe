"""The page about one decision: the text in the colours of its leaders, the vote that adds up, the plane, the proof."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path

from exactformer.checking import check
from exactformer.display.html import TITLE, Markup, download, html, join
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import PathLike, write_atomically
from exactformer.report.citations import bibtex_for
from exactformer.report.interactive import InteractivePicture, draw_stage
from exactformer.report.palette import COLOURS
from exactformer.report.review_plane import plane_stage
from exactformer.report.skeleton import page
from exactformer.report.svg import symbols
from exactformer.studies.sentiment.explanation import Explanation, WordRow

#: leaders listed by name
LEADERS = 12
#: the largest certificate that the page carries along
CARRIED = 2_000_000


def write_review_page(explanation: Explanation, output: PathLike) -> None:
    """Writes one self-contained page about the decision, with its certificate, checked on the spot."""
    stage = plane_stage(explanation) if explanation.model.dim == 2 else None
    body = html(
        "{symbols}{head}{text}{votes}{plane}{honesty}{proof}",
        symbols=symbols(stage.scene.sheet) if stage is not None else "",
        head=_head(explanation),
        text=_text(explanation),
        votes=_votes(explanation),
        plane=_plane(stage),
        honesty=_honesty(explanation),
        proof=_proof(explanation),
    )
    title, styles = f"{explanation.decision}: a decision and its vote", ("report.css", "review.css")
    write_atomically(output, page(title, body, styles=styles, papers=bibtex_for("decision")).encode())


def colour_class(explanation: Explanation, word: int) -> str:
    """The class of a word: the rank of the one leader it follows, w0 to w6 in turn, or wtie for several."""
    followed = explanation.words[word].follows
    ranks = {_rank(explanation, i) for i in followed}
    if len(ranks) != 1 or None in ranks:
        return "wtie"
    return f"w{next(iter(ranks))}"


def _rank(explanation: Explanation, word: int) -> int | None:
    """The colour of a leader; words at one position have the colour of the first of them."""
    position = explanation.ballot.index[word]
    ranks = [k for k, i in enumerate(explanation.leaders) if explanation.ballot.index[i] == position]
    return ranks[0] % len(COLOURS) if ranks else None


def _head(explanation: Explanation) -> Markup:
    since = explanation.same_from
    depth = f" The decision is the same at every depth from {since} layers on." if since is not None else ""
    return html(
        '<p class="decision {decision}">{decision}</p>'
        "<p>Decision value {value}, in exact arithmetic, after {layers} layers of attention.{depth}</p>",
        decision=explanation.decision,
        value=_number(explanation.value),
        layers=explanation.model.layers,
        depth=depth,
    )


def _number(value: Fraction | None, places: int = 6) -> Markup:
    """A decimal with the exact fraction in its title."""
    if value is None:
        return html("")
    exact = canonical(value)
    title = exact if len(exact) < TITLE else f"a fraction of {len(exact)} characters"
    return html('<span class="number" title="{title}">{text}</span>', title=title, text=f"{float(value):+.{places}f}")


def _text(explanation: Explanation) -> Markup:
    """The text as it was given, every word in the colour of whom it follows at the last layer."""
    parts, end, text = [], 0, explanation.text
    for place, word in explanation.places():
        if word is None:
            continue
        parts.append(_silent(text[end : place.start]))
        parts.append(_word(explanation, word, text[place.start : place.stop]))
        end = place.stop
    parts.append(_silent(text[end:]))
    left = f" The first {explanation.model.length} known words take part." if explanation.left_out else ""
    return html(
        "<h2>The words and whom they follow</h2><p>Leaders are framed. A word has the colour of the leader it follows"
        " (grey: several). Grey letters take no part: stop words and words the model does not know.{left}</p>"
        '<p class="text">{parts}</p>',
        left=left,
        parts=join(parts),
    )


def _silent(text: str) -> Markup:
    return html('<span class="silent">{text}</span>', text=text) if text else html("")


def _word(explanation: Explanation, index: int, shown: str) -> Markup:
    word = explanation.words[index]
    names = ", ".join(explanation.words[i].word for i in word.follows[:8])
    return html(
        '<span class="{colour}{leader}" data-word="{index}" title="{title}">{shown}</span>',
        colour=colour_class(explanation, index),
        leader=" leader" if word.leads_from is not None else "",
        index=index,
        title=f"follows {names}; weight {float(word.weight):.6f}; score {float(word.score):+.4f}",
        shown=shown,
    )


def _votes(explanation: Explanation) -> Markup:
    rows = explanation.rows(most=LEADERS)
    largest = max(abs(row.vote) for row in rows) or Fraction(1)
    body = join(_vote_row(explanation, row, largest) for row in rows)
    return html(
        "<h2>The vote</h2><p>Every word has an exact weight; the weights are not negative and add up to 1. Weight times"
        " score is its vote, and the votes and the bias add up to the decision value.</p>"
        '<div class="scroll"><table data-table="votes"><tr><th>leader</th><th>from layer</th><th>words that follow</th>'
        '<th class="vote">score</th><th class="vote">weight</th><th class="vote">vote</th><th></th></tr>{body}'
        '<tr class="sum"><td>decision value</td><td></td><td></td><td></td><td></td>'
        '<td class="vote" data-exact="{exact}">{value}</td><td></td></tr></table></div>',
        body=body,
        exact=canonical(explanation.value),
        value=_number(explanation.value),
    )


def _vote_row(explanation: Explanation, row: WordRow, largest: Fraction) -> Markup:
    name = html("{label}", label=row.label)
    if row.leader is not None:
        colour = colour_class(explanation, row.leader)
        name = html('<span class="chip {colour}">{label}</span>', colour=colour, label=row.label)
    followers = sum(explanation.words[i].count for i in row.followers)
    return html(
        '<tr><td>{name}</td><td>{start}</td><td>{followers}</td><td class="vote">{score}</td>'
        '<td class="vote">{weight}</td><td class="vote" data-exact="{exact}">{vote}</td><td>{bar}</td></tr>',
        name=name,
        start="" if row.start is None else row.start,
        followers="" if row.leader is None else followers,
        score=_number(row.score, 4),
        weight=_number(row.weight),
        exact=canonical(row.vote),
        vote=_number(row.vote),
        bar=_bar(float(row.vote / largest)),
    )


def _bar(length: float) -> Markup:
    """A bar from the middle to the right for a positive vote, to the left for a negative one."""
    size = round(60 * abs(length), 1)
    return html(
        '<svg class="bar" viewBox="-60 0 120 10" aria-hidden="true">'
        '<rect class="{kind}" x="{x}" width="{size}" height="10"/>'
        '<line x1="0" x2="0" y1="0" y2="10"/></svg>',
        kind="yes" if length > 0 else "no",
        x=0 if length > 0 else -size,
        size=size,
    )


def _plane(stage: InteractivePicture | None) -> Markup:
    if stage is None:
        return html("")
    return html(
        "<h2>Layer by layer</h2><p>Words as points; stars lead. The line across is the decision line"
        " b + &lt;v, z&gt; = 0; the cross is the mean of all words, whose side of the line is the decision.</p>{stage}",
        stage=draw_stage(stage),
    )


def _honesty(explanation: Explanation) -> Markup:
    """What attention contributes, by the model's own figures; and what an explanation by leaders alone would miss."""
    about = explanation.model.about
    parts = [
        "The leaders alone do not explain the decision: what does, exactly, is the leaders together with how many words"
        " follow each of them. Delete a leader and another word takes over."
    ]
    plain = about.get("without_attention")
    if isinstance(plain, dict) and "test" in plain and "test" in about:
        gap = 100 * (float(about["test"]) - float(plain["test"]))
        verb = "costs" if gap < 0 else "adds"
        parts.append(
            f"On its test part this model decides {100 * float(about['test']):.1f} % of the reviews rightly, and"
            f" {100 * float(plain['test']):.1f} % when it is trained without attention: attention {verb}"
            f" {abs(gap):.1f} points of accuracy here. What it buys is the reading above."
        )
    return html(
        "<h2>What attention contributes</h2>{parts}", parts=join(html("<p>{text}</p>", text=text) for text in parts)
    )


def _proof(explanation: Explanation) -> Markup:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "decision.jsonl"
        explanation.certify(path)
        verdict, content = check(path), path.read_bytes()
    link = download("decision.jsonl", content) if len(content) <= CARRIED else html("the file is too large to carry")
    return html(
        '<h2>Proof</h2><div class="verdict {verdict}"><b>{verdict}</b>: {why}.<p class="soft">Verdict of the'
        " independent checker, run when this page was written. Run it again:"
        " <code>proofs-check decision.jsonl</code></p></div>"
        "<p>{link}</p>",
        verdict=verdict.verdict,
        why=verdict.why,
        link=link,
    )
