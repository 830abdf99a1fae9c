/** A column of a table: its name, and the cell that it has in the row of one record. */
export type TableColumn<Source, Cell> = readonly [name: string, cell: (source: Source) => Cell];

/** A table as answers hold it: names once, and a row of cells in their order for each record. */
export function tableOf<Source, Cell>(
  columns: readonly TableColumn<Source, Cell>[],
  sources: readonly Source[],
): { columns: string[]; rows: Cell[][] } {
  return { columns: columns.map(([name]) => name), rows: sources.map((source) => columns.map(([, cell]) => cell(source))) };
}
