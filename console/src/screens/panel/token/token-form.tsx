import { noLimits, tokenApi, type Token } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useForm, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useSelf } from '#api/self.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { useSaving } from '#domain/save/form-error.ts';
import { FormExpiry } from '#ui/form/form-expiry.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormText } from '#ui/form/form-text.tsx';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { creditsOf } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { toast } from '#ui/feedback/toast.ts';
import type { TokenExample } from '#screens/panel/token/connect/example-dialog.tsx';
import { BudgetField } from './limits/budget-field.tsx';
import { TokenKeys } from './keys/token-keys.tsx';
import { CapUseList } from './limits/cap-use-list.tsx';
import { LimitSections } from './limits/limit-sections.tsx';
import { LimitsInWords } from './limits/limits-in-words.tsx';
import { TokenPresets } from './limits/token-presets.tsx';
import { QuotaField } from './quota-field.tsx';
import { TokenStatus } from './token-cells.tsx';
import { tokenFields, tokenRules, type TokenInput, type TokenValues } from './token-rules.ts';

interface Props {
  token?: Token | undefined;
  onCreated?: ((example: TokenExample) => void) | undefined;
  /** Opens the dialogs of a stored token's keys. */
  onRotate?: ((token: Token) => void) | undefined;
  onRevoke?: ((token: Token) => void) | undefined;
  onClose: () => void;
}

/** Suggested limit for a new token. */
const firstQuotaDollars = 5;

export function TokenForm({ token, onCreated, onRotate, onRevoke, onClose }: Props) {
  const { t } = useTranslation('token');
  const money = useSiteFormat();
  const suggested = useUserGroups()[useSelf().data?.group ?? '']?.token_limits?.defaults;
  const form = useForm<TokenInput, unknown, TokenValues>({
    resolver: (values, ...rest) =>
      contractResolver(tokenRules(token, values.unlimited_quota, t('expiryPast')))(values, ...rest),
    defaultValues: {
      name: token?.name ?? '',
      expired_time: token?.expired_time ?? -1,
      remain_quota: token?.remain_quota ?? creditsOf(firstQuotaDollars, money),
      unlimited_quota: token?.unlimited_quota ?? true,
      group: token?.group ?? '',
      limits: token?.limits ?? suggested ?? { ...noLimits, time_zone: localTimeZone() || 'UTC' },
      tag: token?.tag ?? '',
      note: token?.note ?? '',
      response_store_hours: token?.response_store_hours ?? null,
      enable_cache: token?.enable_cache ?? false,
      metadata: token?.metadata ?? {},
    },
    mode: 'onBlur',
  });
  const { control, handleSubmit } = form;
  const { dirtyFields } = form.formState;
  const save = useSaveToken(form, { token, onCreated, onClose });
  const submit = handleSubmit((values) => {
    const changed = tokenFields.filter((field) => !token || dirtyFields[field]);
    save.mutate(Object.fromEntries(changed.map((field) => [field, values[field]])));
  });
  return (
    <EditDrawer
      title={token ? t('editTitle') : t('create')}
      subtitle={
        token && (
          <>
            {token.name} <span className="text-text3">#{token.id}</span> <TokenStatus token={token} />
          </>
        )
      }
      changes={countDirty(dirtyFields)}
      saveLabel={token ? undefined : t('create')}
      alwaysSave={!token}
      busy={save.isPending}
      onSave={submit}
      onClose={onClose}
    >
      {token && (
        <TokenKeys
          token={token}
          onRotate={() => onRotate?.(token)}
          onRevoke={() => onRevoke?.(token)}
          locked={countDirty(dirtyFields) > 0}
        />
      )}
      {token && token.use.length > 0 && (
        <DrawerSection title={t('useTitle')}>
          <CapUseList uses={token.use} />
        </DrawerSection>
      )}
      <DrawerSection title={t('whoTitle')} text={t('whoText')}>
        <FormText control={control} name="name" label={t('name')} placeholder={t('namePlaceholder')} />
      </DrawerSection>
      <DrawerSection title={t('limitTitle')} text={t('limitText')}>
        {!token && <TokenPresets form={form} />}
        <BudgetField control={control} />
        <QuotaField control={control} used={token?.used_quota} />
        <FormExpiry control={control} name="expired_time" />
      </DrawerSection>
      <LimitSections control={control} token={token} />
      <LimitsInWords control={control} />
    </EditDrawer>
  );
}

function useSaveToken(
  form: UseFormReturn<TokenInput, unknown, TokenValues>,
  { token, onCreated, onClose }: Pick<Props, 'token' | 'onCreated' | 'onClose'>,
) {
  const { t } = useTranslation('token');
  const client = useQueryClient();
  return useSaving(form, {
    send: (values: Partial<TokenValues>) => send(token, values),
    onSaved: (saved) => {
      onClose();
      if (token) toast.success(t('saved', { name: saved.token.name }));
      else onCreated?.(saved);
      void refresh(client, tokenApi.list, tokenApi.get, tokenApi.tags);
    },
    // The answer may hold a key.
    gcTime: 0,
  });
}

async function send(token: Token | undefined, values: Partial<TokenValues>): Promise<TokenExample> {
  if (token) return { token: await call(tokenApi.update, { body: { ...values, id: token.id } }) };
  return call(tokenApi.create, { body: { name: '', ...values } });
}
