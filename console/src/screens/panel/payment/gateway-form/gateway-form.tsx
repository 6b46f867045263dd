import { type GatewayTest, type GatewayType, paymentApi, type PaymentGateway } from '@relay-hub/contract';
import { PlugZap } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { useForm, type UseFormReturn, useWatch } from 'react-hook-form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { formatSeconds } from '#ui/format/number.ts';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { messageAt, savedOrRefused } from '#domain/save/form-error.ts';
import { toast } from '#ui/feedback/toast.ts';
import { refreshGateways } from '#screens/panel/payment/payment-api.ts';
import { GatewayTile } from '#domain/payment/gateway-tile.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { AccountSection } from './account-section.tsx';
import { FeeSection } from './fee-section.tsx';
import {
  bodyOf,
  configInput,
  type GatewayControl,
  type GatewayInput,
  gatewayRules,
  type GatewayValues,
  newInput,
  storedInput,
} from './gateway-values.ts';
import { NotifySection } from './notify-section.tsx';

interface Props {
  types: readonly GatewayType[];
  gateway?: PaymentGateway | undefined;
  testFirst?: boolean | undefined;
  onCreated: (id: number) => void;
  onClose: () => void;
}

export function GatewayForm({ types, gateway, testFirst, onCreated, onClose }: Props) {
  const { t } = useTranslation(['paymentGateway', 'payment']);
  const resolver = useMemo(() => contractResolver(gatewayRules(types, gateway)), [types, gateway]);
  const [first] = types;
  const typeOf = (kind: string) => types.find(({ type }) => type === kind);
  const nameOf = (type: GatewayType | undefined) => (type ? t(`payment:types.${type.type}`) : '');
  const form = useForm<GatewayInput, unknown, GatewayValues>({
    resolver,
    defaultValues: gateway ? storedInput(gateway, typeOf(gateway.type)) : newInput(first, nameOf(first)),
    mode: 'onBlur',
  });
  const { control, formState, handleSubmit } = form;
  const type = typeOf(useWatch({ control, name: 'type' }));
  const test = useTestGateway(gateway);
  const save = useSaveGateway({
    form,
    gateway,
    type,
    onSaved: (saved, isTested) => {
      if (!isTested) return onClose();
      if (!gateway) return onCreated(saved.id);
      form.reset(storedInput(saved, typeOf(saved.type)));
      test.mutate();
    },
  });
  useTestFirst(testFirst ?? false, () => test.mutate());
  const choose = (kind: string) => {
    const [before, next] = [type, typeOf(kind)];
    if (!next) return;
    const { name, icon } = form.getValues();
    form.setValue('type', next.type, { shouldDirty: true });
    form.setValue('config', configInput(next));
    form.setValue('currency', next.currencies[0] ?? 'USD');
    // A name or an icon that was typed stays.
    if (name === nameOf(before)) form.setValue('name', nameOf(next));
    if (icon === before?.type) form.setValue('icon', next.type);
    form.clearErrors();
  };
  const changes = countDirty(formState.dirtyFields);
  const saving = save.isPending && save.variables;
  const submit = (isTested: boolean) => handleSubmit((values) => save.mutate({ values, isTested }));
  return (
    <EditDrawer
      title={t(gateway ? 'edit' : 'payment:addGateway')}
      subtitle={gateway && <Subtitle gateway={gateway} />}
      changes={changes}
      saveLabel={gateway ? undefined : t('payment:addGateway')}
      alwaysSave={!gateway}
      busy={saving && !saving.isTested}
      onSave={submit(false)}
      onClose={onClose}
      extra={
        <Button
          icon={PlugZap}
          saves
          busy={test.isPending || (saving && saving.isTested)}
          onClick={() => (gateway && changes === 0 ? test.mutate() : void submit(true)())}
        >
          {t(gateway ? (changes > 0 ? 'saveAndTest' : 'test') : 'addAndTest')}
        </Button>
      }
      notice={test.data && <TestResult result={test.data} />}
    >
      <DrawerSection title={t('basics')} text={t('basicsText')}>
        <FieldRow>
          <GatewayTypeField types={types} control={control} fixed={gateway !== undefined} onChoose={choose} />
          <FormText control={control} name="name" label={t('name')} maxLength={255} />
        </FieldRow>
        <FieldRow>
          <FormText control={control} name="icon" label={t('icon')} hint={t('iconHint')} maxLength={300} />
          <FormSwitch control={control} name="enable" label={t('payment:enabled')} hint={t('enableHint')} />
        </FieldRow>
      </DrawerSection>
      {type && <AccountSection key={type.type} type={type} gateway={gateway} control={control} />}
      <FeeSection type={type} control={control} />
      <NotifySection gateway={gateway} control={control} />
    </EditDrawer>
  );
}

function Subtitle({ gateway: { name, id, enable } }: { gateway: PaymentGateway }) {
  return (
    <>
      {name} <span className="text-text3">#{id}</span> <Status kind={enable ? 'enabled' : 'disabled'} />
    </>
  );
}

function TestResult({ result: { ok, message, milliseconds } }: { result: GatewayTest }) {
  const { t } = useTranslation('paymentGateway');
  return (
    <Note tone={ok ? 'ok' : 'bad'} live>
      {ok ? t('testOk', { time: formatSeconds(milliseconds) }) : t('testFailed', { reason: message })}
    </Note>
  );
}

/** Runs the test once, when the form opens after the gateway was created. */
function useTestFirst(wanted: boolean, test: () => void) {
  const isDone = useRef(!wanted);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    test();
  });
}

interface Options {
  form: UseFormReturn<GatewayInput, unknown, GatewayValues>;
  gateway: PaymentGateway | undefined;
  type: GatewayType | undefined;
  onSaved: (saved: PaymentGateway, isTested: boolean) => void;
}

interface Saving {
  values: GatewayValues;
  /** Whether a test follows. */
  isTested: boolean;
}

function useSaveGateway({ form, gateway, type, onSaved }: Options) {
  const { t } = useTranslation('paymentGateway');
  const client = useQueryClient();
  // Read while rendering: react-hook-form tracks only what is.
  const { dirtyFields } = form.formState;
  const send = (values: GatewayValues): Promise<PaymentGateway> => {
    const body = bodyOf(values, type);
    if (!gateway) return call(paymentApi.create, { body });
    const changed = Object.entries(body).filter(([name]) => name in dirtyFields && name !== 'type');
    return call(paymentApi.update, { body: { id: gateway.id, ...Object.fromEntries(changed) } });
  };
  return useMutation({
    mutationFn: ({ values }: Saving) => savedOrRefused(form, () => atConfigField(() => send(values))),
    onSuccess: (saved, { isTested }) => {
      if (!saved) return;
      toast.success(t(gateway ? 'saved' : 'made', { name: saved.name }));
      onSaved(saved, isTested);
    },
    onSettled: () => refreshGateways(client),
  });

  /** Shows an error of a type's field there; the server names it `config.<name>` or `<name>`. */
  async function atConfigField<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const name = error instanceof ApiError ? error.field?.replace(/^config\./, '') : undefined;
      if (!(error instanceof ApiError) || !type?.fields.some((field) => field.name === name)) throw error;
      const place = `config.${name}` as const;
      form.setError(place, { type: 'server', message: messageAt(error) }, { shouldFocus: true });
      return undefined;
    }
  }
}

/** Tests a stored gateway with its saved keys. */
function useTestGateway(gateway: PaymentGateway | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(paymentApi.test, { params: { id: gateway?.id ?? 0 } }),
    onSettled: () => refreshGateways(client),
  });
}

interface GatewayTypeFieldProps {
  types: readonly GatewayType[];
  control: GatewayControl;
  /** The type of a stored gateway cannot change. */
  fixed: boolean;
  onChoose: (type: string) => void;
}

function GatewayTypeField({ types, control, fixed, onChoose }: GatewayTypeFieldProps) {
  const { t } = useTranslation(['paymentGateway', 'payment']);
  const value = useWatch({ control, name: 'type' });
  return (
    <Field label={t('payment:type')} hint={t(fixed ? 'typeFixed' : 'typeHint')}>
      {(aria) => (
        <Select
          aria={aria}
          value={value}
          disabled={fixed}
          onChange={onChoose}
          options={types.map(({ type }) => ({
            value: type,
            label: t(`payment:types.${type}`),
            tile: <GatewayTile name={t(`payment:types.${type}`)} type={type} icon="" size={20} />,
          }))}
        />
      )}
    </Field>
  );
}
