import { priceApi, type Price, type PriceChange, type PriceEdit } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { toast } from '#ui/feedback/toast.ts';
import { refreshPrices, undoChange } from './pricing-api.ts';

interface Act {
  send: () => Promise<PriceChange | null>;
  /** Toast text after success. */
  words: string;
  isUndo?: boolean;
}

/** Changes of prices from the list: applied at once, with Undo in the toast. */
export function usePriceActions() {
  const { t } = useTranslation('pricing');
  const client = useQueryClient();
  const { mutate, mutateAsync, isPending } = useMutation({
    mutationFn: ({ send }: Act) => send(),
    onSuccess: (change, { words, isUndo }) => {
      if (!change) toast.info(t('nothingChanged'));
      else if (isUndo) toast.success(words);
      else toast.undo(words, () => undo(change.id));
    },
    onSettled: () => refreshPrices(client),
  });
  const undo = (id: number) => mutate({ send: () => undoChange(id), words: t('undone'), isUndo: true });
  return {
    busy: isPending,
    undo,
    /** Shows the toast with Undo for a change made elsewhere. */
    told: (change: PriceChange | null, words: string) => {
      if (change) toast.undo(words, () => undo(change.id));
      else toast.info(t('nothingChanged'));
      void refreshPrices(client);
    },
    remove: (prices: readonly Price[]) => {
      const models = prices.map(({ model }) => model);
      const words = t('removed', { count: models.length, name: models[0] });
      mutate({ send: () => call(priceApi.removeMany, { body: { models } }), words });
    },
    set: (prices: PriceEdit[]) =>
      mutateAsync({
        send: () => call(priceApi.setMany, { body: { prices } }),
        words: t('changed', { count: prices.length, name: prices[0]?.model }),
      }),
  };
}

export type PriceActions = ReturnType<typeof usePriceActions>;
