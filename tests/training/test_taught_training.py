"""What the head `entailment` and its teachers learn from, and what the head follows."""

import math

import pytest
import torch

import entailment
import taught

SCORES = torch.log(torch.tensor([[0.8, 0.1, 0.1], [0.2, 0.2, 0.6]]))


def test_the_loss_by_hand():
    """KL of one half and one half from (0.8, 0.1, 0.1) as the scores have it, and 0.15 of the labels' loss."""
    wanted = torch.tensor([[0.5, 0.5, 0.0], [0.2, 0.2, 0.6]])
    followed = (0.5 * math.log(0.5 / 0.8) + 0.5 * math.log(0.5 / 0.1)) / 2
    smooth = (0.95 + 0.05 / 3) * -math.log(0.8) + 2 * 0.05 / 3 * -math.log(0.1)
    found = taught.loss(SCORES, wanted, torch.tensor([0, taught.UNLABELLED]))
    assert found.item() == pytest.approx(followed + 0.15 * smooth / 2, rel=1e-5)


def test_teachers_are_averaged_in_log_probabilities():
    """sqrt(0.8 * 0.2) = 0.4 each of both, and 0.1 of the third: 4/9, 4/9, 1/9."""
    each = [torch.log(torch.tensor([one])) for one in ([0.8, 0.2, 0.1], [0.2, 0.8, 0.1])]
    assert taught.mean_of_teachers(each)[0].tolist() == pytest.approx([4 / 9, 4 / 9, 1 / 9])


@pytest.mark.slow
def test_the_first_teacher_reads_and_any_learns():
    torch.set_num_threads(1)
    learn = [("It rains in Bern.", "It rains.", "contradiction")] * 2
    model, read = taught.first("cpu")
    assert entailment.scores(model, read, learn).argmax(1).tolist() == [0] * 2
    teacher = taught.Teacher(taught.Together, 4, seed=0, epochs=5, rate=2e-3, head_rate=2e-2)
    assert entailment.scores(*taught.train(teacher, learn, "cpu"), learn).argmax(1).tolist() == [2] * 2
