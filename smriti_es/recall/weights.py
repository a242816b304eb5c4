"""The weights of the ranking, as data; tuned on the dev split alone."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How a turn's score is made up.

    Attributes:
        depth: How many of the best turns each channel nominates.
        lexical: Weight of BM25, divided by its best.
        semantic: Weight of the cosine, spread between worst and best.
        semantic_floor: The least spread of cosines that counts as one; a question that is near to
            nothing must not be told apart by noise.
        session: Share of the session's best score that each of its turns gets.
        assistant: Factor for assistant turns where the question does not ask what was answered.
        in_window: Added to turns of the time that the question names.
        when: Added to turns that mention a date where the question asks for one.
        other_speaker: Factor for turns of speakers other than those the question names.
        away_fact: Factor for facts that hold no longer, or not yet, at the time asked about.
        speaker_turns_min: From how many candidate turns on a name counts as a speaker.
        bm25_k1: Saturation of repeated terms.
        bm25_b: How far length counts.
    """

    depth: int = 200
    lexical: float = 0.5
    semantic: float = 0.5
    semantic_floor: float = 0.25
    session: float = 0.25
    assistant: float = 0.2
    in_window: float = 0.25
    when: float = 0.15
    other_speaker: float = 0.75
    away_fact: float = 0.8
    speaker_turns_min: int = 3
    bm25_k1: float = 1.2
    bm25_b: float = 0.75
