import i18next from 'i18next';
import { ApiError } from '#api/api-error.ts';
import { toast } from '#ui/feedback/toast.ts';

export interface Outcome<Item> {
  done: Item[];
  failed: { item: Item; error: Error }[];
  /** Whether the reader stopped it before the end. */
  cancelled: boolean;
}

/**
 * Sends a request for each of several records, one after another, under a progress toast with Cancel. It goes on when
 * the page is left. A failure is noted and the next one tried, unless no request could succeed any more.
 */
export async function oneByOne<Item>(
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
      ? toast.progress(title, items.length, { label: i18next.t('cancel', { ns: 'shared' }), onClick: cancel })
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
