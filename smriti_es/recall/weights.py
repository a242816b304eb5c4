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
        late: Share of the score that late interaction has, where there are token vectors; lexical
            and semantic have the rest.
        late_depth: How many of the best candidates are compared token by token; as many facts.
        late_beside: Of how many of these the turns before and after are compared as well.
        late_adjacent: What a match in the turn before or after is worth beside one of its own.
        late_floor: As `semantic_floor`, for late interaction.
        common_token: What a token of a word that says little counts for; a word that a seventh of
            all turns have counts as much.
        neighbour: Share of the better of the two adjacent turns' scores that each turn gets.
        session: Share of the session's best score that each of its turns gets.
        assistant: Factor for assistant turns where the question does not ask what was answered.
        entity: Added to facts about those whom the question names, and in part to the turns that
            these rest on and to what is one hop further away.
        alias: Added instead to facts and turns that use another of their names, which no other
            channel can tell.
        in_window: Added to turns of the time that the question names.
        when: Added to turns that mention a date where the question asks for one.
        other_speaker: Factor for turns of speakers other than those the question names.
        fact: Factor for facts.
        severe: How much a severe failure is raised, by how bad and strong it was stated to be.
        later_round: What a hit of a later round is worth beside one of the first.
        away_fact: Factor for facts that hold no longer, or not yet, at the time asked about.
        rerank_depth: How many of the best a reranker is asked about, where there is one.
        rerank_weight: What its word counts for: from 1 on it alone decides; below, the score so far
            has the rest.
        speaker_turns_min: From how many candidate turns on a name counts as a speaker.
        bm25_k1: Saturation of repeated terms.
        bm25_b: How far length counts.
    """

    depth: int = 200
    lexical: float = 0.5
    semantic: float = 0.5
    semantic_floor: float = 0.25
    late: float = 0.67
    late_depth: int = 200
    late_beside: int = 100
    late_adjacent: float = 0.9
    late_floor: float = 0.25
    common_token: float = 2.0
    neighbour: float = 0.3
    session: float = 0.4
    assistant: float = 0.2
    entity: float = 0.0
    alias: float = 0.3
    in_window: float = 0.25
    when: float = 0.1
    other_speaker: float = 0.5
    fact: float = 1.0
    severe: float = 0.25
    later_round: float = 0.9
    away_fact: float = 0.8
    rerank_depth: int = 48
    rerank_weight: float = 1.0
    speaker_turns_min: int = 3
    bm25_k1: float = 1.2
    bm25_b: float = 0.75
