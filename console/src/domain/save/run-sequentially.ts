import { i18n } from '#i18n/t.ts';
import { ApiError } from '#api/api-error.ts';
import { toast } from '#ui/feedback/toast.ts';

export interface Outcome<Item> {
  done: Item[];
  failed: { item: Item; error: Error }[];
  /** Whether the user cancelled it. */
  cancelled: boolean;
}

/**
 * Sends one request per record, sequentially, with a progress toast and Cancel. Continues when
 * the user leaves the page. Continues after a failure, unless the server is unreachable or the session has ended.
 */
export async function runSequentially<Item>(
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
