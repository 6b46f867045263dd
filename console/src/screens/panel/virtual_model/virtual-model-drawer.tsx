import { newVirtualModel, type NewVirtualModel, type VirtualModel } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useFieldArray, useForm, useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSaving } from '#domain/save/form-error.ts';
import { RecordDrawer } from '#list/record-drawer.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Time } from '#ui/format/time.tsx';
import { FormNumber } from '#ui/form/form-number.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { newStep, Step, useModelNames, type Control, type ModelValues } from './step-fields.tsx';
import { savedParts, versionsOf, virtualModelById } from './virtual-model-api.ts';
import { useVirtualModelActions } from './use-virtual-model-actions.ts';

interface Props {
  edit: string;
  onClose: () => void;
}

export function VirtualModelDrawer({ edit, onClose }: Props) {
  const start: ModelValues = { name: '', enabled: true, description: '', steps: [newStep()], shadow: null };
  return (
    <RecordDrawer
      edit={edit}
      query={virtualModelById}
      create={<VirtualModelForm values={start} onClose={onClose} />}
      onClose={onClose}
    >
      {(model) => <VirtualModelForm model={model} values={savedParts(model)} onClose={onClose} />}
    </RecordDrawer>
  );
}

function VirtualModelForm({
  model,
  values,
  onClose,
}: {
  model?: VirtualModel;
  values: ModelValues;
  onClose: () => void;
}) {
  const { t } = useTranslation('virtualModel');
  const { create, update } = useVirtualModelActions();
  const form = useForm<ModelValues, unknown, NewVirtualModel>({
    resolver: contractResolver(newVirtualModel),
    defaultValues: values,
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState, reset } = form;
  const { fields, append, remove, move } = useFieldArray({ control, name: 'steps' });
  const save = useSaving(form, {
    send: (body: NewVirtualModel) => (model ? update({ id: model.id, body, before: model }) : create(body)),
    onSaved: onClose,
  });
  return (
    <EditDrawer
      title={t(model ? 'edit' : 'add')}
      subtitle={model && <span className="font-mono">{model.name}</span>}
      changes={countDirty(formState.dirtyFields)}
      saveLabel={model ? undefined : t('add')}
      alwaysSave={!model}
      busy={save.isPending}
      onSave={handleSubmit((body) => save.mutate(body))}
      onClose={onClose}
    >
      <DrawerSection title={t('nameTitle')} text={t('nameText')}>
        <FormText control={control} name="name" label={t('name')} mono maxLength={100} />
        <FormText control={control} name="description" label={t('description')} optional maxLength={200} />
        <FormSwitch control={control} name="enabled" label={t('enabled')} />
      </DrawerSection>
      <DrawerSection title={t('steps')} text={t('stepsText')}>
        <ol className="grid gap-3">
          {fields.map(({ id }, at) => (
            <Step
              key={id}
              control={control}
              at={at}
              count={fields.length}
              onMove={(to) => move(at, to)}
              onRemove={() => remove(at)}
            />
          ))}
        </ol>
        {fields.length < 8 && (
          <Button variant="ghost" className="-ml-3 justify-self-start" onClick={() => append(newStep())}>
            {t('addStep')}
          </Button>
        )}
      </DrawerSection>
      <ShadowSection control={control} onChange={(shadow) => form.setValue('shadow', shadow, { shouldDirty: true })} />
      {model && (
        <Versions
          id={model.id}
          current={model.version}
          onTake={(version) => reset(savedParts(version), { keepDefaultValues: true })}
        />
      )}
    </EditDrawer>
  );
}

function ShadowSection({ control, onChange }: { control: Control; onChange: (shadow: ModelValues['shadow']) => void }) {
  const { t } = useTranslation('virtualModel');
  const shadow = useWatch({ control, name: 'shadow' });
  const names = useModelNames();
  return (
    <DrawerSection
      title={t('shadow')}
      text={t('shadowText')}
      aside={
        <Switch
          label={t('shadow')}
          checked={Boolean(shadow)}
          onChange={(on) => onChange(on ? { model: '', percent: 1, at_once: 4 } : null)}
        />
      }
    >
      {shadow && (
        <>
          <FormText control={control} name="shadow.model" label={t('model')} mono suggestions={names} />
          <div className="grid grid-cols-2 gap-3">
            <FormNumber control={control} name="shadow.percent" label={t('percent')} suffix="%" />
            <FormNumber control={control} name="shadow.at_once" label={t('atOnce')} whole />
          </div>
        </>
      )}
    </DrawerSection>
  );
}

/** Earlier versions; one that is taken fills the form and is saved as the newest. */
function Versions({ id, current, onTake }: { id: number; current: number; onTake: (version: VirtualModel) => void }) {
  const { t } = useTranslation('virtualModel');
  const { data = [] } = useQuery(versionsOf(id));
  const earlier = data.filter(({ version }) => version !== current);
  if (earlier.length === 0) return null;
  return (
    <DrawerSection title={t('versions')} text={t('versionsText')}>
      <ul className="divide-y divide-line rounded-control border border-line text-13">
        {earlier.map((each) => (
          <li key={each.version} className="flex items-center gap-3 py-1 pr-1 pl-3">
            <span className="min-w-0 flex-1 truncate">
              {t('version', { version: each.version })}{' '}
              <span className="text-text2">
                · {each.updated_by} · <Time at={each.updated_time} />
              </span>
            </span>
            <Button size="sm" variant="ghost" onClick={() => onTake(each)}>
              {t('take')}
            </Button>
          </li>
        ))}
      </ul>
    </DrawerSection>
  );
}
