"""What is imported once: processes that are killed hundreds of times are forked from here.

A process that is forked from one that has everything in memory starts in a few hundredths of a
second. It is a process all the same: it has its own memory and connections, and SIGKILL ends it.
"""

import moorage.__main__
import moorage_echo.controller
from moorage_core.main import build_api
from moorage_core.settings import Settings

API = build_api(Settings())
CONTROLLER = moorage_echo.controller.app
RUN = moorage.__main__.main
