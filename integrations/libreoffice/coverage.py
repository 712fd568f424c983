"""Sheets of what is insured and where it is, by SQL from the data source "Studio Inventory" of LibreOffice Base.

In LibreOffice:    Tools > Macros > Run Macro > My Macros > coverage > fill
On a command line: PASSWORD=… soffice --headless 'vnd.sun.star.script:coverage.py$save?language=Python&location=user'
"""

import os
import sys
import traceback

import uno
from com.sun.star.awt.FontWeight import BOLD
from com.sun.star.beans import PropertyValue
from com.sun.star.lang import Locale

SOURCE = "Studio Inventory"
SHEETS = {
    "Coverage": """
        select coverage_state, count(*) as items, sum(purchase_price) as paid, sum(reported_insured_value) as insured,
          sum(current_estimated_value) as value
        from api_v1.items where coverage_state is not null group by coverage_state order by coverage_state""",
    "Locations": """
        select l.name as location, count(*) as items, sum(i.purchase_price) as paid,
          sum(i.reported_insured_value) as insured, sum(i.current_estimated_value) as value
        from api_v1.items i join api_v1.locations l on l.id = i.location_id group by l.id, l.name order by l.name""",
}


def fill(*_):
    """Adds the sheets to the spreadsheet that is open, or fills them again."""
    write(XSCRIPTCONTEXT.getDocument())


def save(*_):
    """Writes coverage.ods into the folder in which soffice was started, and ends it."""
    desktop = XSCRIPTCONTEXT.getDesktop()
    try:
        hidden = PropertyValue(Name="Hidden", Value=True)
        document = desktop.loadComponentFromURL("private:factory/scalc", "_blank", 0, (hidden,))
        write(document)
        document.Sheets.removeByName(document.Sheets.ElementNames[-1])
        document.storeAsURL(uno.systemPathToFileUrl(os.path.abspath("coverage.ods")), ())
        document.close(True)
    except Exception:
        traceback.print_exc(file=sys.stderr)
    finally:
        desktop.terminate()


def write(document):
    connection = connect()
    try:
        for position, (name, query) in enumerate(SHEETS.items()):
            if not document.Sheets.hasByName(name):
                document.Sheets.insertNewByName(name, position)
            put(document, document.Sheets.getByName(name), read(connection, query))
    finally:
        connection.close()


def connect():
    """A connection of the data source; LibreOffice asks for the password where it is not in the environment."""
    services = XSCRIPTCONTEXT.getComponentContext().ServiceManager
    source = services.createInstance("com.sun.star.sdb.DatabaseContext").getByName(SOURCE)
    if "PASSWORD" in os.environ:
        return source.getConnection(source.User, os.environ["PASSWORD"])
    return source.connectWithCompletion(services.createInstance("com.sun.star.task.InteractionHandler"))


def read(connection, query):
    """The names of the columns and the rows: a text and then numbers; empty where there is none."""
    result = connection.createStatement().executeQuery(query)
    columns = range(1, result.MetaData.ColumnCount + 1)
    rows = [tuple(result.MetaData.getColumnName(column) for column in columns)]
    while result.next():
        row = [result.getString(1)]
        for column in columns[1:]:
            number = result.getDouble(column)
            row.append("" if result.wasNull() else number)
        rows.append(tuple(row))
    return rows


def put(document, sheet, rows):
    """The rows, and the sum of each column below them."""
    sheet.clearContents(1023)
    last, width = len(rows), len(rows[0])
    sheet.getCellRangeByPosition(0, 0, width - 1, last - 1).setDataArray(tuple(rows))
    sheet.getCellByPosition(0, last).setString("total")
    for column in range(1, width):
        letter = chr(ord("A") + column)
        sheet.getCellByPosition(column, last).setFormula(f"=SUM({letter}2:{letter}{last})")
    formats, english = document.NumberFormats, Locale("en", "US", "")
    money = formats.queryKey("#,##0.00", english, False)
    sheet.getCellRangeByPosition(2, 1, width - 1, last).NumberFormat = money
    sheet.getCellRangeByPosition(0, 0, width - 1, 0).CharWeight = BOLD
    sheet.getCellRangeByPosition(1, 0, width - 1, 0).HoriJustify = uno.Enum("com.sun.star.table.CellHoriJustify", "RIGHT")
    sheet.Columns.OptimalWidth = True
