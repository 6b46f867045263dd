import {
  type DeliveryWay,
  type EventType,
  eventTypes,
  fieldsOfWay,
  type IncidentKind,
  incidentKinds,
  incidentSeverities,
  type InputOf,
  mailedEvents,
  wayApi,
  type WayConfig,
  type WayKind,
  wayKinds,
} from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { zoneNames } from '#domain/token/zone-names.ts';
import { Button } from '#ui/basic/button.tsx';
import { CodeBlock } from '#ui/basic/code-block.tsx';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { refreshWays } from './way-api.ts';

type Values = Omit<InputOf<typeof wayApi.create>['body'], 'config'> & {
  config: WayConfig;
  /** Of a way that exists: its destination is replaced as a whole. */
  isReplaced: boolean;
  events: EventType[];
  kinds: IncidentKind[];
};

const noConfig: WayConfig = { address: '', target: '', token: '', secret: '' };
const isIncident = (type: EventType): boolean => type.startsWith('incident.');

const valuesOf = (way: DeliveryWay | undefined, site: boolean): Values => ({
  kind: way?.kind ?? 'webhook',
  name: way?.name ?? '',
  config: noConfig,
  isReplaced: way === undefined,
  enabled: way?.enabled ?? true,
  events: way?.events ?? (site ? ['incident.opened', 'incident.closed'] : [...mailedEvents]),
  kinds: way?.kinds ?? [],
  severity: way?.severity ?? 'warning',
  quiet_from: way?.quiet_from ?? '',
  quiet_to: way?.quiet_to ?? '',
  quiet_zone: way?.quiet_zone || localTimeZone() || 'UTC',
});

interface Props {
  /** Undefined: a new one. */
  way?: DeliveryWay | undefined;
  /** Of the operators, or the reader's own. */
  site: boolean;
  onClose: () => void;
}

/** Adds or changes a way: where to, what and when. The secret of a webhook is shown once. */
export function WayDrawer({ way, site, onClose }: Props) {
  const { t } = useTranslation('way');
  const client = useQueryClient();
  const form = useForm<Values>({ defaultValues: valuesOf(way, site) });
  const { control, formState } = form;
  const [secret, setSecret] = useState('');
  const [kind, isReplaced, kinds, events] = useWatch({ control, name: ['kind', 'isReplaced', 'kinds', 'events'] });
  const save = useMutation({
    mutationFn: async ({ isReplaced: replaces, kind: chosen, config, ...values }: Values) => {
      if (!way) return (await call(wayApi.create, { body: { ...values, site, kind: chosen, config } })).secret;
      await call(wayApi.update, { body: { ...values, id: way.id, ...(replaces && { config }) } });
      return '';
    },
    onSettled: () => refreshWays(client),
  });
  const submit = form.handleSubmit(async (values) => {
    const made = await save.mutateAsync(values).catch(() => undefined);
    // The request shows its own error; the form stays open.
    if (made === undefined) return;
    if (made === '') onClose();
    else setSecret(made);
  });
  if (secret !== '') return <NewSecret secret={secret} onClose={onClose} />;
  const offered = eventTypes.filter((type) => site || !isIncident(type));
  const hasIncidents = site && events.some(isIncident);
  return (
    <EditDrawer
      title={way ? t('editTitle', { name: way.name || t(`kind.${way.kind}`) }) : t('add')}
      changes={countDirty(formState.dirtyFields)}
      alwaysSave={!way}
      busy={save.isPending}
      saveLabel={way ? undefined : t('add')}
      onSave={submit}
      onClose={onClose}
    >
      <DrawerSection title={t('where')}>
        {way ? (
          kind !== 'mail' && <FormSwitch control={control} name="isReplaced" label={t('replace')} hint={way.hint} />
        ) : (
          <FormSelect
            control={control}
            name="kind"
            label={t('service')}
            options={wayKinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
          />
        )}
        {(isReplaced || (way && kind === 'mail')) && <Destination {...{ control, kind, site }} />}
        <FormText control={control} name="name" label={t('name')} optional maxLength={60} />
        {way && <FormSwitch control={control} name="enabled" label={t('enabled')} />}
      </DrawerSection>
      <DrawerSection title={t('what')}>
        <CheckList
          label={t('events')}
          values={offered.map((value) => ({ value, label: t(`event.${value.replace('.', '_') as EventName}`) }))}
          chosen={events}
          onChange={(next) => form.setValue('events', next, { shouldDirty: true })}
        />
        {hasIncidents && (
          <>
            <FormSelect
              control={control}
              name="severity"
              label={t('from')}
              options={incidentSeverities.map((value) => ({ value, label: t(`severity.${value}`) }))}
            />
            <CheckList
              label={t('kinds')}
              hint={t('kindsHint')}
              values={incidentKinds.map((value) => ({ value, label: t(`incident.${value}`) }))}
              chosen={kinds}
              onChange={(next) => form.setValue('kinds', next, { shouldDirty: true })}
            />
          </>
        )}
      </DrawerSection>
      <DrawerSection title={t('quiet')} text={t('quietText')}>
        <FieldRow>
          <FormText
            control={control}
            name="quiet_from"
            label={t('quietFrom')}
            optional
            placeholder={quietExample.from}
          />
          <FormText control={control} name="quiet_to" label={t('quietTo')} optional placeholder={quietExample.to} />
        </FieldRow>
        <FormSelect
          control={control}
          name="quiet_zone"
          label={t('zone')}
          searchable
          options={zoneNames(way?.quiet_zone).map((value) => ({ value, label: value }))}
        />
      </DrawerSection>
    </EditDrawer>
  );
}

/** Names of events in the texts, whose keys have no dots. */
type EventName = EventType extends infer T ? (T extends `${infer A}.${infer B}` ? `${A}_${B}` : never) : never;

const quietExample = { from: '22:00', to: '07:00' };

interface DestinationProps {
  control: ReturnType<typeof useForm<Values>>['control'];
  kind: WayKind;
  site: boolean;
}

function Destination({ control, kind, site }: DestinationProps) {
  const { t } = useTranslation('way');
  // A person is mailed at the address of the account.
  if (kind === 'mail' && !site) return <p className="text-13 text-text2">{t('ownAddress')}</p>;
  return fieldsOfWay(kind).map(({ field, isOptional }) => (
    <FormText
      key={`${kind} ${field}`}
      control={control}
      name={`config.${field}`}
      label={t(`field.${field}`)}
      optional={isOptional}
      mono
    />
  ));
}

function NewSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation('way');
  return (
    <Dialog
      title={t('field.secret')}
      text={t('secretText')}
      width={440}
      onClose={onClose}
      footer={(close) => (
        <Button variant="primary" saves={false} onClick={close}>
          {t('noted')}
        </Button>
      )}
    >
      <CodeBlock code={secret} label={t('field.secret')} />
    </Dialog>
  );
}

interface CheckListProps<V extends string> {
  label: string;
  hint?: string;
  values: readonly { value: V; label: string }[];
  chosen: readonly V[];
  onChange: (chosen: V[]) => void;
}

/** Several of a fixed list, as checkboxes in two columns. */
function CheckList<V extends string>({ label, hint, values, chosen, onChange }: CheckListProps<V>) {
  const id = useId();
  const set = (value: V, checked: boolean) =>
    onChange(
      values.flatMap((each) => ((each.value === value ? checked : chosen.includes(each.value)) ? each.value : [])),
    );
  return (
    <fieldset aria-describedby={hint === undefined ? undefined : id}>
      <legend className="mb-1.5 text-13 text-text2">{label}</legend>
      <div className="grid grid-cols-2 gap-x-4 gap-y-1 max-sm:grid-cols-1">
        {values.map(({ value, label: name }) => (
          <label key={value} className="flex min-h-7 items-center gap-2 text-13 max-sm:min-h-10">
            <Checkbox checked={chosen.includes(value)} onChange={(checked) => set(value, checked)} />
            <span className="min-w-0">{name}</span>
          </label>
        ))}
      </div>
      {hint !== undefined && (
        <p id={id} className="mt-1 text-12 text-text3">
          {hint}
        </p>
      )}
    </fieldset>
  );
}
