import { type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { copyText } from '#ui/format/clipboard.ts';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { FormPassword } from '#ui/form/form-text.tsx';
import { randomPassword, type UserBody, type UserValues } from './user-values.ts';

interface Props {
  form: UseFormReturn<UserValues, unknown, UserBody>;
  isNew: boolean;
}

/** A password to hand over: typed, or generated and copied. */
export function UserPassword({ form, isNew }: Props) {
  const { t } = useTranslation('user');
  const generate = () => {
    const password = randomPassword();
    form.setValue('password', password, { shouldDirty: true, shouldValidate: true });
    void copyText(password, t('password'));
  };
  const given = useWatch({ control: form.control, name: 'password' });
  return (
    <>
      <FormPassword
        control={form.control}
        name="password"
        label={t(isNew ? 'password' : 'newPassword')}
        autoComplete="new-password"
        optional={!isNew}
        hint={t(isNew ? 'passwordHint' : 'passwordEditHint')}
        aside={
          <button type="button" onClick={generate} className="touch rounded-tile text-13 text-accent hover:underline">
            {t('generate')}
          </button>
        }
      />
      {!isNew && given !== '' && (
        <FormSwitch
          control={form.control}
          name="disable_tokens"
          label={t('passwordTokens')}
          hint={t('passwordTokensHint')}
        />
      )}
    </>
  );
}
