import { modelPattern, purchasePriceApi, type PurchasePriceInput, type StoredPurchasePrice } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useFieldArray, useForm, type Control } from 'react-hook-form';
import * as z from 'zod/mini';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormMoment } from '#ui/form/form-moment.tsx';
import { FormNumber } from '#ui/form/form-number.tsx';
import { FormText, FormTextarea } from '#ui/form/form-text.tsx';
import { jsonProblem } from '#ui/format/json-text.ts';
import { Dialog } from '#ui/overlay/dialog.tsx';

/** A ratio of 1 is 2 units of the currency for a million tokens, or for a thousand calls. */
const UNITS = 2;

interface Row {
  model: string;
  type: 'tokens' | 'times';
  /** Units of the currency for a million tokens; null while empty. */
  input: number | null;
  output: number | null;
  currency: string;
  rate: number | null;
  valid_from: number;
  /** JSON of `extra_ratios`, `rules` and `fees`; empty: none. */
  more: string;
}

const amount = z.nullable(z.number().check(z.gte(0))).check(z.refine((value) => value !== null, { error: 'required' }));

const form = z.object({
  rows: z.array(
    z.object({
      model: modelPattern,
      type: z.enum(['tokens', 'times']),
      input: amount,
      output: amount,
      currency: z.string().check(z.trim(), z.toUpperCase(), z.minLength(3)),
      rate: amount,
      valid_from: z.number(),
      more: z.string().check(
        z.check<string>(({ value, issues }) => {
          const message = value.trim() === '' ? undefined : jsonProblem(value);
          if (message !== undefined) issues.push({ code: 'custom', message, input: value });
        }),
      ),
    }),
  ),
});

const newRow: Row = {
  model: '',
  type: 'tokens',
  input: null,
  output: null,
  currency: 'USD',
  rate: 1,
  valid_from: 0,
  more: '',
};

/** Removes the noise of a product of decimals. */
const plain = (value: number): number => Number(value.toPrecision(12));

function rowOf(stored: StoredPurchasePrice): Row {
  const { model, type, currency, rate, valid_from, input, output, extra_ratios, rules, fees } = stored;
  const more = {
    ...(Object.keys(extra_ratios).length > 0 && { extra_ratios }),
    ...(rules.length > 0 && { rules }),
    ...(fees.length > 0 && { fees }),
  };
  const text = Object.keys(more).length > 0 ? JSON.stringify(more, null, 1) : '';
  const same = { model, type, currency, rate, valid_from };
  return { ...same, input: plain(input * UNITS), output: plain(output * UNITS), more: text };
}

const priceOf = ({ input, output, rate, more, ...same }: Row): PurchasePriceInput => ({
  ...(more.trim() === '' ? {} : (JSON.parse(more) as Pick<PurchasePriceInput, 'rules'>)), // checked by the server
  ...same,
  input: plain((input ?? 0) / UNITS),
  output: plain((output ?? 0) / UNITS),
  rate: rate ?? 1,
});

interface Props {
  channelId: number;
  models: readonly string[];
  onClose: () => void;
}

/** Own purchase prices of a channel, saved apart from its form. */
export default function PurchaseDialog({ channelId, models, onClose }: Props) {
  const { t } = useTranslation('channelForm');
  const stored = useQuery({
    ...apiQuery(purchasePriceApi.list, { params: { id: channelId } }),
    staleTime: 0,
    gcTime: 0,
    meta: { quiet: true },
  });
  if (stored.data) return <Editor {...{ channelId, models, onClose }} stored={stored.data} />;
  return (
    <Dialog title={t('purchase.title')} text={t('purchase.text')} width={900} onClose={onClose}>
      {stored.error ? (
        <ErrorState text={stored.error.message} busy={stored.isFetching} onRetry={() => void stored.refetch()} />
      ) : (
        <Skeleton width="100%" className="h-24!" />
      )}
    </Dialog>
  );
}

function Editor({ channelId, models, stored, onClose }: Props & { stored: readonly StoredPurchasePrice[] }) {
  const { t } = useTranslation(['channelForm', 'shared']);
  const client = useQueryClient();
  const { control, handleSubmit } = useForm<{ rows: Row[] }>({
    resolver: contractResolver(form),
    defaultValues: { rows: stored.map(rowOf) },
    mode: 'onBlur',
  });
  const { fields, append, remove } = useFieldArray({ control, name: 'rows' });
  const save = useMutation({
    mutationFn: ({ rows }: { rows: Row[] }) =>
      call(purchasePriceApi.set, { params: { id: channelId }, body: { prices: rows.map(priceOf) } }),
    meta: { quiet: true },
  });
  return (
    <Dialog
      title={t('purchase.title')}
      text={t('purchase.text')}
      width={900}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button onClick={close}>{t('shared:cancel')}</Button>
          <Button
            variant="primary"
            busy={save.isPending}
            onClick={() =>
              void handleSubmit(async (values) => {
                await save.mutateAsync(values);
                await client.invalidateQueries({ queryKey: [purchasePriceApi.offers.path] });
                toast.success(t('purchase.saved'));
                close();
              })().catch(() => {})
            }
          >
            {t('shared:save')}
          </Button>
        </>
      )}
    >
      <div className="grid grid-cols-1 gap-3">
        {save.error && <Note tone="bad">{save.error.message}</Note>}
        {fields.length === 0 && <p className="text-13 text-text2">{t('purchase.none')}</p>}
        {fields.map(({ id }, at) => (
          <PriceRow key={id} control={control} at={at} models={models} onRemove={() => remove(at)} />
        ))}
        <div>
          <Button size="sm" icon={Plus} onClick={() => append(newRow)}>
            {t('purchase.add')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

interface RowProps {
  control: Control<{ rows: Row[] }>;
  at: number;
  models: readonly string[];
  onRemove: () => void;
}

function PriceRow({ control, at, models, onRemove }: RowProps) {
  const { t } = useTranslation(['channelForm', 'shared']);
  const name = `rows.${at}` as const;
  return (
    <fieldset className="rounded-card border border-line p-3">
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-[minmax(0,2fr)_1fr_1fr_5rem_1fr_1.6fr_auto]">
        <FormText
          control={control}
          name={`${name}.model`}
          label={t('purchase.model')}
          suggestions={models}
          maxLength={100}
        />
        <FormNumber control={control} name={`${name}.input`} label={t('purchase.input')} />
        <FormNumber control={control} name={`${name}.output`} label={t('purchase.output')} />
        <FormText control={control} name={`${name}.currency`} label={t('purchase.currency')} maxLength={3} />
        <FormNumber control={control} name={`${name}.rate`} label={t('purchase.rate')} />
        <FormMoment control={control} name={`${name}.valid_from`} label={t('purchase.from')} />
        <IconButton label={t('purchase.remove')} icon={Trash2} className="sm:mt-6.5" onClick={onRemove} />
      </div>
      <details className="mt-2 text-13">
        <summary className="text-text2">{t('purchase.more')}</summary>
        <FormTextarea
          control={control}
          name={`${name}.more`}
          label={t('purchase.more')}
          hideLabel
          hint={t('purchase.moreHint')}
          mono
          rows={4}
        />
      </details>
    </fieldset>
  );
}
