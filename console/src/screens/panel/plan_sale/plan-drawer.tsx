import { beyondRules, perLanguage, type Plan, planAdminSchemas, planUnits } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import { useAllGroups } from '#api/all-groups.ts';
import { modelNames } from '#api/model-names.ts';
import { planText } from '#domain/plan/plan-terms.tsx';
import { useSaving } from '#domain/save/form-error.ts';
import { zoneNames } from '#domain/token/zone-names.ts';
import { languages } from '#i18n/languages.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { RecordDrawer } from '#list/record-drawer.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { FieldBelow } from '#ui/form/field.tsx';
import { FormChips } from '#ui/form/form-chips.tsx';
import { FormMoney, FormNumber } from '#ui/form/form-number.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { FormText, FormTextarea } from '#ui/form/form-text.tsx';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { creditsOf } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { bodyOf, planById, type PlanBody, type PlanControl, type PlanValues } from './plan-api.ts';
import { usePlanActions } from './use-plan-actions.ts';
import { WindowRows } from './window-rows.tsx';

const noTexts = perLanguage(() => '');

interface Props {
  edit: string;
  onClose: () => void;
}

export function PlanDrawer({ edit, onClose }: Props) {
  const money = useSiteFormat();
  const start: PlanValues = {
    enabled: true,
    sort: 0,
    names: noTexts,
    descriptions: noTexts,
    most_active: 1,
    most_total: 0,
    stock: null,
    terms: {
      price: creditsOf(10, money),
      unit: 'month',
      count: 1,
      time_zone: localTimeZone() || 'UTC',
      allowance: creditsOf(20, money),
      windows: [],
      groups: [],
      models: [],
      beyond: 'choice',
      grace_days: 0,
    },
  };
  return (
    <RecordDrawer edit={edit} query={planById} create={<PlanForm values={start} onClose={onClose} />} onClose={onClose}>
      {(plan) => <PlanForm plan={plan} values={bodyOf(plan)} onClose={onClose} />}
    </RecordDrawer>
  );
}

function PlanForm({ plan, values, onClose }: { plan?: Plan; values: PlanValues; onClose: () => void }) {
  const { t } = useTranslation('planAdmin');
  const { create, update } = usePlanActions();
  const form = useForm<PlanValues, unknown, PlanBody>({
    resolver: contractResolver(planAdminSchemas.create.body),
    defaultValues: values,
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const { dirtyFields } = formState;
  const save = useSaving(form, {
    send: (body: PlanBody) => (plan ? update({ id: plan.id, body }) : create(body)),
    onSaved: onClose,
  });
  const hasNewTerms = plan !== undefined && countDirty(dirtyFields.terms ?? {}) > 0;
  return (
    <EditDrawer
      title={t(plan ? 'edit' : 'add')}
      subtitle={
        plan && (
          <>
            {planText(plan.names)} <span className="text-text3">{t('version', { version: plan.version })}</span>
          </>
        )
      }
      changes={countDirty(dirtyFields)}
      saveLabel={plan ? undefined : t('add')}
      alwaysSave={!plan}
      busy={save.isPending}
      notice={hasNewTerms && <Note>{t('newVersion', { version: plan.version + 1 })}</Note>}
      onSave={handleSubmit((body) => save.mutate(body))}
      onClose={onClose}
    >
      <DrawerSection title={t('names')} text={t('namesText')}>
        <div>
          <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
            {languages.map(({ code, name }) => (
              <FormText key={code} control={control} name={`names.${code}`} label={name} optional maxLength={60} />
            ))}
          </div>
          <FieldBelow id="plan-names" error={formState.errors.names?.message && t('nameMissing')} />
        </div>
        <FormSwitch control={control} name="enabled" label={t('onSale')} hint={t('onSaleHint')} />
      </DrawerSection>
      <TermsSections control={control} />
      <DrawerSection title={t('sale')} text={t('saleText')}>
        <FieldRow>
          <FormNumber control={control} name="most_active" label={t('mostActive')} hint={t('zeroAny')} whole />
          <FormNumber control={control} name="most_total" label={t('mostTotal')} hint={t('trialHint')} whole />
        </FieldRow>
        <FieldRow>
          <FormNumber control={control} name="stock" label={t('stock')} placeholder={t('noLimit')} optional whole />
          <FormNumber control={control} name="sort" label={t('sort')} hint={t('sortHint')} whole />
        </FieldRow>
      </DrawerSection>
      <DrawerSection title={t('descriptions')} text={t('descriptionsText')} folded={!plan}>
        {languages.map(({ code, name }) => (
          <FormTextarea
            key={code}
            control={control}
            name={`descriptions.${code}`}
            label={name}
            optional
            rows={2}
            maxLength={2000}
          />
        ))}
      </DrawerSection>
    </EditDrawer>
  );
}

function TermsSections({ control }: { control: PlanControl }) {
  const { t } = useTranslation('planAdmin');
  const [zone, chosenModels = [], chosenGroups = []] = useWatch({
    control,
    name: ['terms.time_zone', 'terms.models', 'terms.groups'],
  });
  const groups = useAllGroups();
  const { data: names = [] } = useQuery(modelNames);
  return (
    <>
      <DrawerSection title={t('price')} text={t('priceText')}>
        <FormMoney control={control} name="terms.price" label={t('pricePerPeriod')} hint={t('priceHint')} />
        <FieldRow>
          <FormNumber control={control} name="terms.count" label={t('periodCount')} whole />
          <FormSelect
            control={control}
            name="terms.unit"
            label={t('periodUnit')}
            options={planUnits.map((value) => ({ value, label: t(`units.${value}`) }))}
          />
        </FieldRow>
        <FieldRow>
          <FormSelect
            control={control}
            name="terms.time_zone"
            label={t('zone')}
            searchable
            options={zoneNames(zone).map((value) => ({ value, label: value }))}
          />
          <FormNumber control={control} name="terms.grace_days" label={t('grace')} hint={t('graceHint')} whole />
        </FieldRow>
      </DrawerSection>
      <DrawerSection title={t('gives')} text={t('givesText')}>
        <FormMoney
          control={control}
          name="terms.allowance"
          label={t('allowance')}
          placeholder={t('noLimit')}
          optional
        />
        <WindowRows control={control} />
        <FormChips
          control={control}
          name="terms.models"
          label={t('models')}
          optional
          suggestions={names}
          placeholder={chosenModels.length === 0 ? t('allModels') : undefined}
        />
        <FormChips
          control={control}
          name="terms.groups"
          label={t('groups')}
          optional
          suggestions={groups.map(({ symbol }) => symbol)}
          strict
          placeholder={chosenGroups.length === 0 ? t('allGroups') : undefined}
        />
        <FormSelect
          control={control}
          name="terms.beyond"
          label={t('beyond')}
          options={beyondRules.map((value) => ({ value, label: t(`beyondRules.${value}`) }))}
        />
      </DrawerSection>
    </>
  );
}
