import { defaultUserGroup, newUserGroup, userGroupApi, type UserGroup, type UserGroupRow } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useForm, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useNamedGroup } from '#api/user-groups.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { FormNumber } from '#ui/form/form-number.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { CeilingsField } from './ceilings-field.tsx';
import { DefaultsField } from './defaults-field.tsx';
import { ModelsField } from './models-field.tsx';
import { refreshGroups } from './user-group-api.ts';
import { GroupPriceExample } from './user-group-price-example.tsx';
import { WaitField } from './wait-field.tsx';
import type { GroupBody, GroupValues } from './user-group-values.ts';

type Form = UseFormReturn<GroupValues, unknown, GroupBody>;

const resolver = contractResolver(newUserGroup);

const start: GroupValues = {
  symbol: '',
  name: '',
  ratio: 1,
  api_rate: 300,
  public: false,
  enable: true,
  token_limits: null,
  model_switch: null,
  limit_wait: null,
};

interface Props {
  group?: UserGroupRow | undefined;
  onRemove?: ((group: UserGroupRow) => void) | undefined;
  onClose: () => void;
}

export function UserGroupForm({ group, onRemove, onClose }: Props) {
  const { t } = useTranslation('userGroup');
  const named = useNamedGroup();
  const form = useForm<GroupValues, unknown, GroupBody>({
    resolver,
    defaultValues: group ? { ...start, ...named(group) } : start,
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const save = useSaveGroup(form, { group, onClose });
  const fixed = group?.symbol === defaultUserGroup.symbol;
  return (
    <EditDrawer
      title={t(group ? 'edit' : 'add')}
      subtitle={group && <Subtitle group={group} />}
      aside={
        group &&
        !fixed && (
          <IconButton label={t('remove')} icon={Trash2} className="text-bad!" onClick={() => onRemove?.(group)} />
        )
      }
      changes={countDirty(formState.dirtyFields)}
      saveLabel={group ? undefined : t('add')}
      alwaysSave={!group}
      busy={save.isPending}
      onSave={handleSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <DrawerSection title={t('nameTitle')}>
        <FieldRow>
          <FormText
            control={control}
            name="symbol"
            label={t('symbol')}
            mono
            disabled={group !== undefined}
            hint={t(group ? 'symbolHint' : 'symbolNewHint')}
          />
          <FormText control={control} name="name" label={t('name')} placeholder={t('namePlaceholder')} />
        </FieldRow>
      </DrawerSection>
      <DrawerSection title={t('priceTitle')} text={t('priceText')}>
        <FieldRow>
          <FormNumber control={control} name="ratio" label={t('ratio')} suffix="×" />
          <GroupPriceExample control={control} before={group?.ratio} />
        </FieldRow>
      </DrawerSection>
      <DrawerSection title={t('rateTitle')} text={t('rateText')}>
        <FieldRow>
          <FormNumber control={control} name="api_rate" label={t('rate')} whole />
          <Note>{t('rateNote')}</Note>
        </FieldRow>
        <WaitField control={control} />
      </DrawerSection>
      <DrawerSection folded title={t('modelsTitle')} text={t('modelsText')}>
        <ModelsField control={control} />
      </DrawerSection>
      <DrawerSection folded title={t('ceilingsTitle')} text={t('ceilingsText')}>
        <CeilingsField control={control} />
      </DrawerSection>
      <DrawerSection folded title={t('defaultsTitle')} text={t('defaultsText')}>
        <DefaultsField control={control} />
      </DrawerSection>
      <DrawerSection title={t('whoTitle')}>
        <FormSwitch control={control} name="public" label={t('public')} hint={t('publicHint')} />
        <FormSwitch control={control} name="enable" label={t('enabled')} hint={t('enableHint')} disabled={fixed} />
      </DrawerSection>
    </EditDrawer>
  );
}

function Subtitle({ group: { symbol, id, users, tokens, channels } }: { group: UserGroupRow }) {
  const { t } = useTranslation('userGroup');
  const used = users + tokens + channels > 0;
  return (
    <>
      <span className="font-mono">{symbol}</span>
      <span>
        #{id} · {used ? t('usedBy', { users, tokens, channels }) : t('unused')}
      </span>
    </>
  );
}

function useSaveGroup(form: Form, { group, onClose }: Pick<Props, 'group' | 'onClose'>) {
  const { t } = useTranslation('userGroup');
  const client = useQueryClient();
  const named = useNamedGroup();
  return useMutation({
    mutationFn: (values: GroupBody) => {
      // A translated default name is not a change.
      const kept = group && values.name === named(group).name && { name: group.name };
      return savedOrRefused(form, () => send(group, { ...values, ...kept }));
    },
    onSuccess: (saved) => {
      if (!saved) return;
      onClose();
      toast.success(t(group ? 'saved' : 'made', { name: named(saved).name }));
    },
    onSettled: () => refreshGroups(client),
  });
}

function send(group: UserGroup | undefined, body: GroupBody): Promise<UserGroup> {
  if (!group) return call(userGroupApi.create, { body: { ...body, keep_zero: true } });
  const { symbol: _symbol, keep_zero: _keepZero, enable, ...rest } = body;
  // Sent only if changed here: it may have been switched elsewhere meanwhile.
  const switched = enable !== group.enable && { set_enable: enable };
  return call(userGroupApi.update, { body: { id: group.id, ...rest, ...switched } });
}
