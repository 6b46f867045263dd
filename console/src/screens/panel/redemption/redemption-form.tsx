import { newRedemptions, redemptionApi, type Redemption } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useController, useForm, useWatch, type Control, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import * as z from 'zod/mini';
import { call } from '#api/call.ts';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { planList } from '#domain/plan/plan-api.ts';
import { planText } from '#domain/plan/plan-terms.tsx';
import { useSaving } from '#domain/save/form-error.ts';
import { Field } from '#ui/form/field.tsx';
import { FormExpiry } from '#ui/form/form-expiry.tsx';
import { FormMoney, FormNumber } from '#ui/form/form-number.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormText } from '#ui/form/form-text.tsx';
import { Select } from '#ui/form/select.tsx';
import { creditsOf, formatMoney } from '#ui/format/money.ts';
import { formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { toast } from '#ui/feedback/toast.ts';
import type { CreatedCodes } from './created-dialog.tsx';
import { refreshCodes } from './redemption-api.ts';
import { RedemptionCode, RedemptionStatus } from './redemption-cells.tsx';

type Input = z.input<typeof newRedemptions>;
type Values = z.output<typeof newRedemptions>;
type CodeControl = Control<Input, unknown, Values>;

const fieldNames = ['name', 'quota', 'expired_time'] as const;

/** Default value of a new code. */
const firstQuotaDollars = 5;

/** The contract's rules; a changed expiry must be in the future. */
const rules = (before: Redemption | undefined, past: string) =>
  newRedemptions.check(
    z.refine(({ expired_time: at }) => at === -1 || at === before?.expired_time || at * 1000 > Date.now(), {
      error: past,
      path: ['expired_time'],
    }),
  );

interface Props {
  row?: Redemption | undefined;
  onCreated?: ((created: CreatedCodes) => void) | undefined;
  onClose: () => void;
}

export function RedemptionForm({ row, onCreated, onClose }: Props) {
  const { t } = useTranslation('redemption');
  const money = useSiteFormat();
  const resolver = useMemo(() => contractResolver(rules(row, t('expiryPast'))), [row, t]);
  const form = useForm<Input, unknown, Values>({
    resolver,
    defaultValues: {
      name: row?.name ?? '',
      quota: row?.quota ?? creditsOf(firstQuotaDollars, money),
      count: 1,
      expired_time: row?.expired_time ?? -1,
    },
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const save = useSave(form, { row, onCreated, onClose });
  return (
    <EditDrawer
      title={t(row ? 'editTitle' : 'create')}
      subtitle={
        row && (
          <>
            {row.name} <span className="text-text3">#{row.id}</span> <RedemptionStatus row={row} />
          </>
        )
      }
      changes={countDirty(formState.dirtyFields)}
      saveLabel={row ? undefined : t('create')}
      alwaysSave={!row}
      busy={save.isPending}
      onSave={handleSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <DrawerSection title={t('whatTitle')} text={t('whatText')} aside={row && <RedemptionCode row={row} />}>
        <FormText
          control={control}
          name="name"
          label={t('name')}
          placeholder={t('namePlaceholder')}
          hint={t('nameHint')}
        />
        <FieldRow>
          <FormMoney control={control} name="quota" label={t('quota')} />
          {!row && <CountField control={control} />}
        </FieldRow>
        {!row && <PlanField control={control} />}
      </DrawerSection>
      <DrawerSection title={t('untilTitle')} text={t('untilText')}>
        <FormExpiry control={control} name="expired_time" />
      </DrawerSection>
    </EditDrawer>
  );
}

/** The plan that codes give besides their credits; nothing where no plan is sold. */
function PlanField({ control }: { control: CodeControl }) {
  const { t } = useTranslation('redemption');
  const { data: plans = [] } = useQuery(planList);
  const { field } = useController({ control, name: 'plan_id' });
  if (plans.length === 0) return null;
  return (
    <Field label={t('plan')} hint={t('planHint')} optional>
      {(aria) => (
        <Select
          aria={aria}
          triggerRef={field.ref}
          value={field.value ?? 0}
          onChange={(id) => field.onChange(id || undefined)}
          onBlur={field.onBlur}
          options={[
            { value: 0, label: t('noPlan') },
            ...plans.map(({ id, names }) => ({ value: id, label: planText(names) })),
          ]}
        />
      )}
    </Field>
  );
}

/** Number of codes, and their total value. */
function CountField({ control }: { control: CodeControl }) {
  const { t } = useTranslation('redemption');
  const money = useSiteFormat();
  const [quota, count] = useWatch({ control, name: ['quota', 'count'] });
  const many = typeof count === 'number' && count > 1 && count <= 100;
  const worth =
    many && t('worth', { total: formatWhole(count), sum: formatMoney((quota ?? 0) * Math.trunc(count), money) });
  return <FormNumber control={control} name="count" label={t('count')} whole hint={worth || t('countHint')} />;
}

function useSave(form: UseFormReturn<Input, unknown, Values>, { row, onCreated, onClose }: Props) {
  const { t } = useTranslation('redemption');
  const client = useQueryClient();
  const { dirtyFields } = form.formState;
  return useSaving(form, {
    send: async (values: Values) => {
      if (!row) return { codes: await call(redemptionApi.create, { body: values }), ...values };
      const changed = fieldNames.filter((field) => dirtyFields[field]).map((field) => [field, values[field]]);
      return call(redemptionApi.update, { body: { id: row.id, ...Object.fromEntries(changed) } });
    },
    onSaved: (saved) => {
      onClose();
      if ('codes' in saved) onCreated?.(saved);
      else toast.success(t('saved', { name: saved.name }));
    },
    // Also after a refusal: the code may have been redeemed meanwhile.
    onSettled: () => void refreshCodes(client),
    // The answer may hold codes.
    gcTime: 0,
  });
}
