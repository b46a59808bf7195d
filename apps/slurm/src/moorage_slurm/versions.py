"""From one version to another, and back."""

import moorage
from moorage_slurm.app import app


@app.instance.upgrade
@app.instance.rollback
async def change_version(op: moorage.InstanceOperation) -> None:
    raise moorage.Fail("not_yet", "This version cannot change the version of Slurm.")
