import { correctionInput } from '@relay-hub/contract';
import type { Translate } from '#i18n/t.ts';
import type { Control } from 'react-hook-form';
import * as z from 'zod/mini';
import { formatMoney } from '#ui/format/money.ts';
import type { MoneyFormat } from '#ui/format/site-format.ts';
import { changeOf, quotaModes } from './quota-change.ts';

const fields = z.object({
  mode: z.enum(quotaModes),
  quota: z.nullable(z.int().check(z.gte(0))),
  remark: correctionInput.shape.remark,
});
type QuotaValues = z.output<typeof fields>;
export type QuotaControl = Control<z.input<typeof fields>, unknown, QuotaValues>;

/** The contract's rules; in addition, the amount must change the balance and must not exceed it. */
export function quotaRules(balance: number | undefined, t: Translate<'quota'>, money: MoneyFormat) {
  const ofQuota = (holds: (values: QuotaValues) => boolean, error: string) =>
    z.refine<QuotaValues>(holds, { error, path: ['quota'] });
  const enough = (values: QuotaValues) => balance === undefined || balance + changeOf(values, balance) >= 0;
  const changes = (values: QuotaValues) => values.mode !== 'set' || values.quota !== balance;
  return fields.check(
    ofQuota(({ quota }) => quota !== null, 'required'),
    ofQuota(({ mode, quota }) => mode === 'set' || quota !== 0, t('zero')),
    ofQuota(changes, t('same')),
    ofQuota(enough, t('beyond', { most: formatMoney(balance ?? 0, money) })),
  );
}
