import { userAdminApi, type User } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useForm, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useSession } from '#api/session.ts';
import { Button } from '#ui/basic/button.tsx';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { FormMoney } from '#ui/form/form-number.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormText } from '#ui/form/form-text.tsx';
import { Money } from '#ui/format/money.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { refreshUsers } from './user-api.ts';
import { UserBindingList } from './user-binding-list.tsx';
import { UserRole, UserStatus } from './user-cells.tsx';
import { UserGroupField } from './user-group-field.tsx';
import { UserPassword } from './user-password.tsx';
import { startOf, userRules, type UserBody, type UserValues } from './user-values.ts';

interface Props {
  user?: User | undefined;
  onClose: () => void;
}

export function UserForm({ user, onClose }: Props) {
  const { t } = useTranslation('user');
  const { user: me } = useSession();
  const resolver = useMemo(() => contractResolver(userRules(user)), [user]);
  const form = useForm<UserValues, unknown, UserBody>({ resolver, defaultValues: startOf(user), mode: 'onBlur' });
  const { control, handleSubmit, formState } = form;
  const { dirtyFields } = formState;
  const save = useSaveUser(form, { user, onClose });
  const submit = handleSubmit((values) => {
    const names = Object.keys(values) as (keyof UserBody)[]; // the schema's own keys
    const changed = names.filter((name) => (user ? dirtyFields[name] : name !== 'disable_tokens'));
    save.mutate(Object.fromEntries(changed.map((name) => [name, values[name]])));
  });
  return (
    <EditDrawer
      title={t(user ? 'editTitle' : 'newTitle')}
      subtitle={user && <Subtitle user={user} />}
      changes={countDirty(dirtyFields)}
      saveLabel={user ? undefined : t('add')}
      alwaysSave={!user}
      busy={save.isPending}
      onSave={submit}
      onClose={onClose}
    >
      <DrawerSection title={t('accountTitle')} text={t('accountText')}>
        <FieldRow>
          <FormText control={control} name="username" label={t('username')} hint={t('usernameHint')} />
          <FormText
            control={control}
            name="display_name"
            label={t('displayName')}
            optional
            hint={!user && t('displayNameHint')}
          />
        </FieldRow>
        <FormText control={control} name="email" type="email" label={t('email')} optional />
      </DrawerSection>
      <DrawerSection title={t('passwordTitle')} text={t(user ? 'passwordEditText' : 'passwordNewText')}>
        {user && user.id === me?.id ? (
          <p className="text-13 text-text2">{t('ownPassword')}</p>
        ) : (
          <UserPassword form={form} isNew={!user} />
        )}
        {user && <UserBindingList user={user} />}
      </DrawerSection>
      <DrawerSection title={t('moneyTitle')} text={t('moneyText')}>
        <UserGroupField control={control} current={user?.group} />
        {user ? (
          <Balance user={user} />
        ) : (
          <FormMoney control={control} name="quota" label={t('firstQuota')} hint={t('firstQuotaHint')} />
        )}
      </DrawerSection>
    </EditDrawer>
  );
}

function Subtitle({ user }: { user: User }) {
  return (
    <>
      {user.username} <span className="text-text3">#{user.id}</span> <UserStatus user={user} /> <UserRole user={user} />
    </>
  );
}

/** Read-only: ledger entries change it. */
function Balance({ user: { id, quota } }: { user: User }) {
  const { t } = useTranslation('user');
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1">
      <span className="font-title text-13">{t('balance')}</span>
      <Money credits={quota} exact className="flex-1" />
      <Button
        render={<Link from="/panel/user" to="/panel/user" search={(now) => ({ ...now, edit: '', adjust: id })} />}
      >
        {t('adjust')}
      </Button>
    </div>
  );
}

function useSaveUser(form: UseFormReturn<UserValues, unknown, UserBody>, { user, onClose }: Props) {
  const { t } = useTranslation('user');
  const client = useQueryClient();
  return useMutation({
    mutationFn: (values: Partial<UserBody>) => savedOrRefused(form, () => send(user, values)),
    onSuccess: (saved) => {
      if (!saved) return;
      onClose();
      const { username: name, disabled_tokens: count = 0 } = saved;
      toast.success(count > 0 ? t('savedTokens', { name, count }) : t(user ? 'saved' : 'made', { name }));
      void refreshUsers(client);
    },
    // The request may hold a password.
    gcTime: 0,
  });
}

function send(
  user: User | undefined,
  values: Partial<UserBody>,
): Promise<User & { disabled_tokens?: number | undefined }> {
  if (user) return call(userAdminApi.update, { body: { ...values, id: user.id } });
  return call(userAdminApi.create, { body: { username: '', group: '', ...values, password: values.password ?? '' } });
}
