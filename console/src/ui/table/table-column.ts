import type { ReactNode } from 'react';

/**
 * Place of a column on a card: `title` and `value` at the left and right of the first line, `line` and `aside` of the
 * second, `foot` in the third. Columns without a role are not on cards.
 */
export type PhoneRole = 'title' | 'value' | 'line' | 'aside' | 'foot';

export interface Column<Row> {
  id: string;
  /** Text of the head and of the column chooser. */
  head: string;
  cell: (row: Row) => ReactNode;
  align?: 'left' | 'right' | undefined;
  /** Pixels; columns without one share what is left. */
  width?: number | undefined;
  /** Without a width: as narrow as it may be before the table scrolls, where that is not what it is for others. */
  least?: number | undefined;
  /** The server sorts by `id`, or by this name. */
  sortable?: boolean | string | undefined;
  /** The first press sorts downwards; for numbers and times. */
  descFirst?: boolean | undefined;
  /** Not shown until it is chosen. */
  hidden?: boolean | undefined;
  /** False keeps it out of the column chooser. */
  hideable?: boolean | undefined;
  phone?: PhoneRole | undefined;
  /** Draws the value on a card, instead of `cell`. */
  phoneCell?: ((row: Row) => ReactNode) | undefined;
  /** Lets what is in the cell reach beyond it: focus rings, inputs. */
  overflow?: boolean | undefined;
}

/** Name by which the server sorts a column; undefined when it does not. */
export function sortName<Row>(column: Column<Row>): string | undefined {
  if (column.sortable === undefined || column.sortable === false) return undefined;
  return column.sortable === true ? column.id : column.sortable;
}

export type Direction = 'ascending' | 'descending';

/** How `order` (`-created_at,id`) sorts by `name`, if it comes first there. */
export function directionOf(order: string, name: string): Direction | undefined {
  const [first] = order.split(',');
  if (first === name) return 'ascending';
  return first === `-${name}` ? 'descending' : undefined;
}

/** The order after a press on a head: one direction, the other, none. */
export function nextOrder(order: string, name: string, descFirst: boolean): string {
  const now = directionOf(order, name);
  const [first, second] = descFirst ? [`-${name}`, name] : [name, `-${name}`];
  if (now === undefined) return first;
  return order.split(',')[0] === first ? second : '';
}
