"""Views: what apps publish for reading."""

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of
from moorage._operation import Arguments
from moorage.models import InstanceRead, ViewPage, ViewRead

Instance = InstanceRead | str


class Views(Group):
    """Views: an app's read models, published by its controller."""

    @listing(operations.LIST_VIEWS, ViewRead)
    def list(self, instance: Instance) -> Arguments:
        """The views that an instance's version declares."""
        return Arguments(path={"instance": id_of(instance)})

    @call(operations.GET_VIEW, ViewPage)
    def page(
        self,
        instance: Instance,
        view: str,
        *,
        after: str | None = None,
        page_size: int | None = None,
    ) -> Arguments:
        """A page of a view's rows, with the view itself; `next` goes on as `after`."""
        return Arguments(
            path={"instance": id_of(instance), "view": view},
            query={"after": after, "limit": page_size},
        )
