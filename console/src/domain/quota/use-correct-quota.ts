import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ApiError } from '#api/api-error.ts';
import { formatMoney } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { toast } from '#ui/feedback/toast.ts';
import { correctQuota, newReference, refreshBalances } from './quota-api.ts';

interface Correction {
  credits: number;
  remark: string;
}

const longestRemark = 255;

/** Corrects a user's balance, once per mount, and offers Undo. */
export function useCorrectQuota({ id: userId, username: name }: { id: number; username: string }) {
  const { t } = useTranslation('quota');
  const client = useQueryClient();
  const money = useSiteFormat();
  const reference = useRef('');

  const { mutate: takeBack } = useMutation({
    mutationFn: ({ credits, remark }: Correction) =>
      correctQuota({ userId, credits: -credits, remark, reference: newReference() }),
    onSuccess: () => toast.success(t('undone', { name })),
    onSettled: () => refreshBalances(client),
  });

  const correct = async (correction: Correction) => {
    // Keep the reference if the response is lost: the correction may have been applied.
    reference.current ||= newReference();
    try {
      return await correctQuota({ ...correction, userId, reference: reference.current });
    } catch (error) {
      const wasDone = error instanceof ApiError && error.code === 'reference.used';
      throw wasDone ? new ApiError({ status: error.status, message: t('doneBefore') }) : error;
    } finally {
      void refreshBalances(client);
    }
  };

  const tell = ({ credits, remark }: Correction, balance: number) => {
    const amount = formatMoney(Math.abs(credits), money);
    const words = t(credits > 0 ? 'added' : 'taken', { name, amount, balance: formatMoney(balance, money) });
    const undone = t('undoRemark', { remark }).slice(0, longestRemark);
    toast.undo(words, { label: t('undo'), onClick: () => takeBack({ credits, remark: undone }) });
  };

  return { correct, tell };
}
