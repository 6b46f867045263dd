import { priceApi, type Price, type PriceInput } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
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
import { usePriceMove } from './price-move.tsx';
import { useOwnerOf } from '#screens/panel/pricing/price-cells.tsx';
import {
  rulesFor,
  termsOf,
  valuesOf,
  type PriceFormInput,
  type PriceFormMethods,
  type PriceFormValues,
} from './price-values.ts';
import type { PriceActions } from '#screens/panel/pricing/use-price-actions.ts';

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
