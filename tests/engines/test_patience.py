"""How the receiver of a message looks for it before it sleeps."""

from mlusim.simulator.engines.worker.idle import Patience


class Messages:
    """Says whether a message has come: with a look of each wait, or with none; and counts the looks."""

    def __init__(self) -> None:
        self.looks, self.comes_at = 0, 0

    def __call__(self) -> bool:
        self.looks += 1
        return self.looks == self.comes_at

    def looks_of(self, patience: Patience, comes_at: int = 0) -> int:
        self.looks, self.comes_at = 0, comes_at
        assert patience.look(self) is (comes_at > 0)
        return self.looks


def test_a_message_that_comes_soon_is_seen_at_once():
    patience, messages = Patience(), Messages()
    assert [messages.looks_of(patience, soon) for soon in (1, 5, 20, 3)] == [1, 5, 20, 3]


def test_the_receiver_is_awake_more_seldom_the_more_often_that_was_in_vain():
    patience, messages = Patience(), Messages()
    awake = [messages.looks_of(patience) > 1 for _ in range(20)]
    assert [number for number, more in enumerate(awake) if more] == [0, 2, 6, 14]
    for _ in range(2000):
        messages.looks_of(patience)
    awake = [messages.looks_of(patience) > 1 for _ in range(600)]
    assert 2 <= sum(awake) <= 3  # one of 256


def test_a_message_that_comes_makes_it_patient_again():
    patience, messages = Patience(), Messages()
    for _ in range(10):
        messages.looks_of(patience)
    while messages.looks_of(patience) == 1:
        pass
    # The next time that it is awake, one comes.
    tried = 0
    while True:
        messages.looks, messages.comes_at = 0, 2
        tried += 1
        if patience.look(messages):
            break
    assert 1 < tried < 256
    assert [messages.looks_of(patience, 4) for _ in range(3)] == [4, 4, 4]
