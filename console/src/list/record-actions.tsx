import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { i18n, type TextKey } from '#i18n/t.ts';
import type { Namespace } from '#i18n/texts.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { ApiError } from '#api/api-error.ts';
import type { IconShape } from '#ui/basic/icon.tsx';
import { toast } from '#ui/feedback/toast.ts';
import type { MenuEntry } from '#ui/overlay/menu-entry.ts';
import { BulkAction } from '#ui/table/bulk-bar.tsx';
import type { Selection } from '#ui/table/use-selection.ts';

/** An action on records of a list, one request per record. `Text`: keys of its texts. */
interface RecordAction<Row, Text extends string = string> {
  /** Texts in the menu and, with a count, in the bulk bar; left out: the action is not there. */
  label?: Text;
  bulk?: Text;
  /** Title of the progress of several, and of the result. `doneMany` gets a count; left out: several never run. */
  running?: Text;
  done: Text;
  doneMany?: Text;
  icon?: IconShape;
  danger?: boolean;
  /** Rows that it applies to; left out: all. */
  when?: (row: Row) => boolean;
  send: (row: Row) => Promise<unknown>;
  /** Name of the inverse, for Undo in the toast. */
  undo?: string;
}

/** Actions by name, with texts of the namespace `N`; the order is that of menus. */
export type RecordActions<Row, N extends Namespace> = Readonly<Record<string, RecordAction<Row, TextKey<N>>>>;

interface Options<Row, Name> {
  nameOf: (row: Row) => string;
  /** Refetches what the actions change. */
  refresh: (client: QueryClient) => unknown;
  /** Shows the expected result before the server confirms it. */
  show?: (client: QueryClient, name: Name, rows: readonly Row[]) => void;
  /** Actions that ask first: `clear` ends the selection once they are confirmed. */
  ask?: Partial<Record<Name & string, (rows: readonly Row[], clear?: () => void) => void>>;
}

/** Menu lines and bulk buttons of a table of actions, which share progress, toasts, Undo and partial failures. */
export function useRecordActions<Row, Name extends string>(
  namespace: Namespace,
  actions: Readonly<Record<Name, RecordAction<Row>>>,
  { nameOf, refresh, show, ask = {} }: Options<Row, Name>,
) {
  const t = useTranslation(namespace).t as unknown as TextOf; // `RecordActions` has checked the keys
  const client = useQueryClient();
  const { mutate, mutateAsync } = useMutation({
    mutationFn: ({ name, rows }: { name: Name; rows: readonly Row[]; isUndo?: boolean }) => {
      const { running, done, send } = actions[name];
      return runSequentially(t(running ?? done), rows, send);
    },
    onMutate: ({ name, rows }) => show?.(client, name, rows),
    onSuccess: (outcome, { name, isUndo = false }) => {
      const { undo } = actions[name];
      const back = () => mutate({ name: undo as Name, rows: outcome.done, isUndo: true });
      toastOutcome(t, outcome, { ...actions[name], nameOf, back: undo && !isUndo ? back : undefined });
    },
    onSettled: () => refresh(client),
  });
  const names = Object.keys(actions) as Name[]; // the keys of the table
  const applies = (name: Name, row: Row): boolean => actions[name].when?.(row) ?? true;
  const start = (name: Name, rows: readonly Row[], clear?: () => void) => {
    const question = ask[name];
    if (question) return question(rows, clear);
    mutate({ name, rows });
    clear?.();
  };
  return {
    /** Runs one at once. Never rejects for a failed record: a toast names it. */
    run: (name: Name, ...rows: readonly Row[]) => mutateAsync({ name, rows }),
    /** Lines for a row's menu, in the order of the table, dangerous ones after a line. */
    menu: (row: Row): MenuEntry[] =>
      names.flatMap((name): MenuEntry[] => {
        const { label, icon, danger } = actions[name];
        if (label === undefined || !applies(name, row)) return [];
        const entry = { label: t(label), icon, onSelect: () => start(name, [row]) };
        return danger ? ['line', { ...entry, danger }] : [{ ...entry, saves: true }];
      }),
    /** Buttons for the selected rows. */
    bulk: ({ rows, clear }: Selection<Row>): ReactNode =>
      names.map((name) => {
        const { bulk, icon, danger } = actions[name];
        const fit = rows.filter((row) => applies(name, row));
        return (
          bulk !== undefined &&
          icon &&
          fit.length > 0 && (
            <BulkAction key={name} icon={icon} danger={danger} onClick={() => start(name, fit, clear)}>
              {t(bulk, { count: fit.length })}
            </BulkAction>
          )
        );
      }),
  };
}

type TextOf = (key: string, values?: Record<string, string | number>) => string;

interface OutcomeTexts<Row> {
  done: string;
  doneMany?: string;
  nameOf: (row: Row) => string;
  back?: (() => void) | undefined;
}

/** Says what was done, with Undo if there is a way back, and which records refused. */
function toastOutcome<Row>(
  t: TextOf,
  { done: rows, failed: [first, ...others] }: Outcome<Row>,
  { done, doneMany = done, nameOf, back }: OutcomeTexts<Row>,
): void {
  const [row] = rows;
  if (row !== undefined) {
    const text = t(rows.length === 1 ? done : doneMany, { count: rows.length, name: nameOf(row) });
    if (back) toast.undo(text, back);
    else toast.success(text);
  }
  if (!first) return;
  const why = { count: others.length + 1, name: nameOf(first.item), reason: first.error.message };
  toast.error(i18n.translator('shared')(others.length === 0 ? 'notDone' : 'notDoneMany', why));
}

interface Outcome<Item> {
  done: Item[];
  failed: { item: Item; error: Error }[];
  /** Whether the user cancelled it. */
  cancelled: boolean;
}

/**
 * Sends one request per record, sequentially, with a progress toast and Cancel. Continues when
 * the user leaves the page. Continues after a failure, unless the server is unreachable or the session has ended.
 */
async function runSequentially<Item>(
  title: string,
  items: readonly Item[],
  send: (item: Item) => Promise<unknown>,
): Promise<Outcome<Item>> {
  const outcome: Outcome<Item> = { done: [], failed: [], cancelled: false };
  const cancel = () => {
    outcome.cancelled = true;
  };
  const work =
    items.length > 1
      ? toast.progress(title, items.length, { label: i18n.translator('shared')('cancel'), onClick: cancel })
      : undefined;
  for (const item of items) {
    if (outcome.cancelled) break;
    try {
      await send(item);
      outcome.done.push(item);
    } catch (failure) {
      const error = failure instanceof Error ? failure : new Error(String(failure));
      outcome.failed.push({ item, error });
      if (endsAll(error)) break;
    }
    work?.update({ done: outcome.done.length + outcome.failed.length, total: items.length });
  }
  work?.end();
  return outcome;
}

const endsAll = (error: Error): boolean => error instanceof ApiError && (error.isNetwork || error.status === 401);
