import type { ReactNode } from 'react';

/**
 * Place of a column on a card: `title` and `value` at the left and right of the first line, `line` and `aside` of the
 * second, `foot` in the third. Columns without a role are not on cards.
 */
export type PhoneRole = 'title' | 'value' | 'line' | 'aside' | 'foot';

export interface Column<Row> {
  id: string;
  /** Text in the head and in the column chooser. */
  head: string;
  cell: (row: Row) => ReactNode;
  align?: 'left' | 'right' | undefined;
  /** Pixels; columns without a width share the rest. */
  width?: number | undefined;
  /** For columns without a width: wanted pixels; they give up to `mostGiven` of them before the table scrolls. */
  least?: number | undefined;
  /** Name by which the server sorts the column; `true` for its `id`. */
  sortable?: boolean | string | undefined;
  /** The first click sorts descending; for numbers and times. */
  descFirst?: boolean | undefined;
  /** Hidden until chosen. */
  hidden?: boolean | undefined;
  /** False excludes the column from the column chooser. */
  hideable?: boolean | undefined;
  phone?: PhoneRole | undefined;
  /** Renders the value on a card, instead of `cell`. */
  phoneCell?: ((row: Row) => ReactNode) | undefined;
  /** Whether the cell of a row also takes the room of the `yields` columns right after it. */
  spans?: ((row: Row) => boolean) | undefined;
  yields?: boolean | undefined;
  /** Does not clip the content of the cell: focus rings, inputs. */
  overflow?: boolean | undefined;
}

/** The cells of a row: columns, each with the number of columns that its cell spans. */
export function cellsOf<Row>(columns: readonly Column<Row>[], row: Row): { column: Column<Row>; span: number }[] {
  const cells: { column: Column<Row>; span: number }[] = [];
  let open: { column: Column<Row>; span: number } | undefined;
  for (const column of columns) {
    if (open && column.yields) open.span++;
    else cells.push((open = { column, span: 1 }));
    if (!open.column.spans?.(row)) open = undefined;
  }
  return cells;
}

/** Name by which the server sorts a column; undefined if it cannot. */
export function sortName<Row>(column: Column<Row>): string | undefined {
  if (column.sortable === undefined || column.sortable === false) return undefined;
  return column.sortable === true ? column.id : column.sortable;
}

export type Direction = 'ascending' | 'descending';

/** Direction of `name` in `order` (`-created_at,id`), if it comes first. */
export function directionOf(order: string, name: string): Direction | undefined {
  const [first] = order.split(',');
  if (first === name) return 'ascending';
  return first === `-${name}` ? 'descending' : undefined;
}

/** The order after a click on a head: one direction, the other, none. */
export function nextOrder(order: string, name: string, descFirst: boolean): string {
  const now = directionOf(order, name);
  const [first, second] = descFirst ? [`-${name}`, name] : [name, `-${name}`];
  if (now === undefined) return first;
  return order.split(',')[0] === first ? second : '';
}
