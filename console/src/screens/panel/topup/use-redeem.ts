import { ledgerApi, logApi, redemptionApi } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ApiError } from '#api/api-error.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { selfQuery } from '#api/self.ts';

interface Added {
  /** The code; makes each success a new message. */
  key: string;
  credits: number;
  /** The new balance; undefined if it could not be fetched. */
  balance: number | undefined;
}

/** Redeems codes; holds the last result or refusal. */
export function useRedeem() {
  const { t } = useTranslation('topup');
  const client = useQueryClient();
  const [added, setAdded] = useState<Added>();
  const [problem, setProblem] = useState<string>();
  const { mutateAsync, isPending: busy } = useMutation({
    mutationFn: (key: string) => call(redemptionApi.redeem, { body: { key } }),
    // Every refusal concerns the code and is shown at its field.
    meta: { quiet: true },
    gcTime: 0,
  });

  /** Whether the code was redeemed. */
  async function redeem(typed: string): Promise<boolean> {
    const key = typed.trim();
    setAdded(undefined);
    setProblem(key === '' ? t('empty') : undefined);
    if (key === '') return false;
    try {
      const credits = await mutateAsync(key);
      // The code is redeemed even if the new balance cannot be fetched.
      const self = await client.fetchQuery({ ...selfQuery, staleTime: 0 }).catch(() => undefined);
      setAdded({ key, credits, balance: self?.quota });
      void refresh(client, ledgerApi.ownList, logApi.ownList, logApi.list);
      return true;
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : String(error));
      return false;
    }
  }

  return { redeem, busy, problem, added, forgetProblem: () => setProblem(undefined) };
}
