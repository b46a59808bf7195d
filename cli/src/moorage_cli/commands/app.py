"""`moor app`. Its verbs stand in modules of their own, each with a Typer without a name."""

from moorage_cli.commands import app_folder, app_publish, app_versions, apps
from moorage_cli.verbs import group

app = group("Apps: their folders on this machine, and their versions in the catalog.")
app.add_typer(app_folder.verbs)
app.add_typer(app_publish.verbs)
app.add_typer(apps.verbs)
app.add_typer(app_versions.verbs)
