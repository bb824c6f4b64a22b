"""Noise around the predictions of another model: location and scale of its residuals."""

from __future__ import annotations

from .noise import NoiseModel
from .regression import LinearModel

__all__ = ["ResidualModel"]


class ResidualModel(LinearModel):
    """theta = (intercept, log sigma), rows = (1, residual).

    Parameters
    ----------
    noise : NoiseModel
    predictor : str
        What the model that made the predictions is called.
    coef_prior_scale, log_scale_prior_scale : float
    min_scale : float
        Lower bound of sigma, which keeps the density bounded.
    """

    def __init__(
        self,
        noise: NoiseModel,
        predictor: str,
        *,
        coef_prior_scale: float,
        log_scale_prior_scale: float,
        min_scale: float,
    ) -> None:
        super().__init__(
            noise,
            1,
            coef_prior_scale=coef_prior_scale,
            log_scale_prior_scale=log_scale_prior_scale,
            min_scale=min_scale,
            names=("intercept",),
        )
        self.predictor = predictor

    def in_words(self, columns: str, target: str | None = None) -> str:
        return f"prediction of {target} by {self.predictor} with {self.noise.in_words()}"
