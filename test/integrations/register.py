"""Registers a data source, as LibreOffice Base does at the end of its wizard: its address is in SDBC_URL, its user in DATABASE_USER."""

import os
import sys
import traceback

import uno


def register(*_):
    desktop = XSCRIPTCONTEXT.getDesktop()
    try:
        services = XSCRIPTCONTEXT.getComponentContext().ServiceManager
        context = services.createInstance("com.sun.star.sdb.DatabaseContext")
        source = context.createInstance()
        source.URL, source.User, source.IsPasswordRequired = os.environ["SDBC_URL"], os.environ["DATABASE_USER"], True
        source.DatabaseDocument.storeAsURL(uno.systemPathToFileUrl(os.path.abspath("inventory.odb")), ())
        context.registerObject("Studio Inventory", source)
    except Exception:
        traceback.print_exc(file=sys.stderr)
    finally:
        desktop.terminate()
