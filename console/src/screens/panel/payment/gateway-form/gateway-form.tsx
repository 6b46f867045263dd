import type { GatewayTest, GatewayType, PaymentGateway } from '@relay-hub/contract';
import { PlugZap } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { useForm, useWatch } from 'react-hook-form';
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
import { AccountSection } from './account-section.tsx';
import { FeeSection } from './fee-section.tsx';
import { GatewayTypeField } from './gateway-type-field.tsx';
import {
  configInput,
  gatewayRules,
  newInput,
  storedInput,
  type GatewayInput,
  type GatewayValues,
} from './gateway-values.ts';
import { NotifySection } from './notify-section.tsx';
import { useSaveGateway } from './use-save-gateway.ts';
import { useTestGateway } from './use-test-gateway.ts';

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
