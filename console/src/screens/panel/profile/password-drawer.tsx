import { password as passwordRule, profileApi } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import * as z from 'zod/mini';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useSession } from '#api/session.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { useSaving } from '#domain/save/form-error.ts';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { FormPassword } from '#ui/form/form-text.tsx';
import { toast } from '#ui/feedback/toast.ts';

interface Props {
  /** Whether the current password must be entered. */
  hasOne: boolean;
  tokens: number;
  onClose: () => void;
}

/** The contract's rule, and equality of both new passwords. */
const rules = (hasOne: boolean, differs: string) =>
  z
    .object({
      current_password: hasOne ? z.string().check(z.minLength(1)) : z.string(),
      password: passwordRule,
      again: z.string().check(z.minLength(1)),
      disable_tokens: z.boolean(),
    })
    .check(z.refine(({ password, again }) => password === again, { error: differs, path: ['again'] }));

type Values = z.input<ReturnType<typeof rules>>;

export function PasswordDrawer({ hasOne, tokens, onClose }: Props) {
  const { t } = useTranslation('profile');
  const { user } = useSession();
  const client = useQueryClient();
  const resolver = useMemo(() => contractResolver(rules(hasOne, t('repeatDiffers'))), [hasOne, t]);
  const form = useForm<Values>({
    resolver,
    // A first password is no sign of a compromised account.
    defaultValues: { current_password: '', password: '', again: '', disable_tokens: hasOne },
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const save = useSaving(form, {
    send: ({ current_password, password, disable_tokens }: Values) =>
      call(profileApi.update, { body: { current_password, password, disable_tokens } }),
    onSaved: (saved) => {
      onClose();
      const { disabled_tokens: count = 0 } = saved;
      toast.success(count > 0 ? t('passwordSavedTokens', { count }) : t('passwordSaved'));
      void refresh(client, profileApi.security, profileApi.sessions);
    },
    // The request holds passwords.
    gcTime: 0,
  });
  return (
    <EditDrawer
      title={t(hasOne ? 'passwordTitle' : 'passwordSetTitle')}
      subtitle={user?.username}
      changes={countDirty(formState.dirtyFields)}
      busy={save.isPending}
      onSave={handleSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <DrawerSection title={t('password')} text={t('passwordText')}>
        {/* Password managers store the user name with the password. */}
        <input hidden readOnly autoComplete="username" value={user?.username ?? ''} />
        {hasOne && <FormPassword control={control} name="current_password" label={t('currentPassword')} />}
        <FormPassword
          control={control}
          name="password"
          label={t('newPassword')}
          autoComplete="new-password"
          hint={t('newPasswordHint')}
        />
        <FormPassword control={control} name="again" label={t('repeatPassword')} autoComplete="new-password" />
        {tokens > 0 && (
          <FormSwitch
            control={control}
            name="disable_tokens"
            label={t('passwordTokens')}
            hint={t('passwordTokensText', { count: tokens })}
          />
        )}
      </DrawerSection>
    </EditDrawer>
  );
}
