import { type Price, priceApi, type PriceInput, priceStep } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { formatDateTime } from '#ui/format/time.ts';
import { CallCost } from './call-cost.tsx';
import { FormModel } from './form-model.tsx';
import { FormFees } from './form-fees.tsx';
import { FormPrices } from './form-prices.tsx';
import { FormRules } from './form-rules.tsx';
import { PriceHistory } from './price-history.tsx';
import { useOwnerOf } from '#screens/panel/pricing/price-cells.tsx';
import {
  type PriceFormInput,
  type PriceFormMethods,
  type PriceFormValues,
  rulesFor,
  termsOf,
  valuesOf,
} from './price-values.ts';
import type { PriceActions } from '#screens/panel/pricing/use-price-actions.ts';
import { Note } from '#ui/feedback/note.tsx';
import { formatPlain } from '#ui/format/number.ts';
import { PercentMove } from './percent-move.tsx';

interface Props {
  /** Equal prices that are edited together; empty for a new one. */
  prices: readonly Price[];
  /** Initial values of a new price. */
  preset: Partial<PriceInput>;
  /** The built-in price that the preset comes from. */
  presetFrom?: string | undefined;
  /** The prices' terms still differ. */
  merging?: boolean | undefined;
  actions: PriceActions;
  onSaved?: (() => void) | undefined;
  onClose: () => void;
}

/** The form of a price, for one or several models. */
export function PriceForm({ prices, preset, presetFrom, merging = false, actions, onSaved, onClose }: Props) {
  const { t } = useTranslation('pricing');
  const [first] = prices;
  const [history, setHistory] = useState(false);
  const form: PriceFormMethods = useForm<PriceFormInput, unknown, PriceFormValues>({
    resolver: (values, ...rest) => contractResolver(rulesFor(values.type))(values, ...rest),
    defaultValues: valuesOf(prices, preset),
    mode: 'onBlur',
  });
  const save = useMutation({
    mutationFn: (values: PriceFormValues) =>
      savedOrRefused(form, async () => ({
        change: await call(priceApi.setGroup, {
          body: {
            original_models: prices.map(({ model }) => model),
            versions: prices.map(({ version }) => version),
            models: values.models,
            price: termsOf(values),
          },
        }),
        values,
      })),
    onSuccess: (saved) => {
      if (!saved) return;
      onClose();
      onSaved?.();
      const { models } = saved.values;
      actions.told(saved.change, t('saved', { count: models.length, name: models[0] }));
    },
  });
  const move = usePriceMove(form.control, merging ? undefined : first);
  const submit = form.handleSubmit((values) => save.mutate(values));
  const one = prices.length === 1;
  const title = merging
    ? t('mergeTitle', { count: prices.length })
    : one
      ? first!.model
      : first
        ? t('groupTitle')
        : t('add');
  return (
    <EditDrawer
      title={title}
      subtitle={first && <Subtitle prices={prices} merging={merging} />}
      aside={
        one && (
          <Button variant="ghost" size="sm" onClick={() => setHistory(true)}>
            {t('history')}
          </Button>
        )
      }
      changes={countDirty(form.formState.dirtyFields)}
      alwaysSave={!first || merging}
      saveLabel={first ? undefined : t('add')}
      busy={save.isPending}
      notice={move}
      onSave={submit}
      onClose={onClose}
    >
      <FormModel form={form} presetFrom={presetFrom} />
      <FormPrices form={form} first={prices.length > 0 || preset.model !== undefined} />
      <FormRules form={form} />
      <FormFees form={form} />
      <Cost form={form} before={merging ? undefined : first} />
      {history && one && <PriceHistory model={first!.model} onClose={() => setHistory(false)} />}
    </EditDrawer>
  );
}

function Subtitle({ prices, merging }: Pick<Props, 'prices'> & { merging: boolean }) {
  const { t } = useTranslation('pricing');
  const [first] = prices;
  const owner = useOwnerOf()(first?.channel_type ?? 0);
  if (!first) return null;
  if (merging) return t('mergeText', { name: first.model });
  return (
    <>
      {owner.name}
      {prices.length > 1 && <span>{t('modelCount', { count: prices.length })}</span>}
      <span>
        {t('changedAt', { time: formatDateTime(first.valid_from).slice(0, -3) })} · {t(`sources.${first.source}`)}
      </span>
    </>
  );
}

function Cost({ form, before }: { form: PriceFormMethods; before: Price | undefined }) {
  const values = useWatch({ control: form.control });
  const parsed = rulesFor(values.type).safeParse({ ...values, models: ['any'], channel_type: 1 });
  return (
    <CallCost
      before={before}
      after={parsed.success ? termsOf(parsed.data) : undefined}
      model={values.models?.[0] ?? ''}
    />
  );
}

/** The change of both main ratios by saving, with a warning about large ones; null without a change. */
function usePriceMove(control: PriceFormMethods['control'], before: Price | undefined): ReactNode {
  const { t } = useTranslation('pricing');
  const values = useWatch({ control });
  const parsed = rulesFor(values.type).safeParse({ ...values, models: ['any'], channel_type: 1 });
  if (!parsed.success || !before) return null;
  const after = termsOf(parsed.data);
  const sides = after.type === 'times' ? (['input'] as const) : (['input', 'output'] as const);
  const moves = sides.filter((side) => after[side] !== before[side]);
  const jumps = priceStep(before, after).jumps.length > 0;
  if (moves.length === 0 && !jumps) return null;
  return (
    <Note tone={jumps ? 'warn' : 'info'} live={jumps}>
      <span className="flex flex-wrap gap-x-4 gap-y-1 tabular-nums">
        {before.type === after.type &&
          moves.map((side) => (
            <span key={side}>
              {t(after.type === 'times' ? 'perCall' : side)} {formatPlain(before[side], 10)} →{' '}
              {formatPlain(after[side], 10)} <PercentMove before={before[side]} after={after[side]} />
            </span>
          ))}
        {jumps && <b className="font-title">{t(before.type === after.type ? 'jump' : 'otherType')}</b>}
      </span>
    </Note>
  );
}
