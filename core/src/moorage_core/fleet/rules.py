"""Pure decisions about regions and SKUs."""

from moorage_core.errors import ApiError, Conflict, Fault


class SlugTaken(Conflict):
    """Another one has this slug already."""

    code = "slug_taken"


class GpusUnclear(ApiError):
    """A model and a number of GPUs belong together."""

    status = 422
    code = "gpus_unclear"


class PlaceUnknown(ApiError):
    """There is no such region or SKU, or it takes nothing new."""

    status = 422
    code = "place_unknown"


def check_gpus(*, model: str | None, count: int) -> None:
    if (count == 0) != (model is None):
        raise GpusUnclear(
            "Give both gpu_model and gpus, or neither: machines with GPUs have a model.",
            errors=[Fault("body.gpu_model", "needed where gpus is not 0, and only there")],
        )


def unknown(noun: str, slug: str) -> PlaceUnknown:
    return PlaceUnknown(
        f"There is no {noun} {slug}, or it is retired. The list of them shows which are in use.",
        errors=[Fault(f"body.{noun.lower()}", "unknown or retired")],
    )
