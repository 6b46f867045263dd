import { tokenAdminApi, type OwnedToken } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useSaving } from '#domain/save/form-error.ts';
import { RecordDrawer } from '#list/record-drawer.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { FormExpiry } from '#ui/form/form-expiry.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { TokenKeys } from '#screens/panel/token/keys/token-keys.tsx';
import { BudgetField } from '#screens/panel/token/limits/budget-field.tsx';
import { CapUseList } from '#screens/panel/token/limits/cap-use-list.tsx';
import { LimitSections } from '#screens/panel/token/limits/limit-sections.tsx';
import { LimitsInWords } from '#screens/panel/token/limits/limits-in-words.tsx';
import { QuotaField } from '../quota-field.tsx';
import { TokenStatus } from '../token-cells.tsx';
import { tokenRules, type TokenInput, type TokenValues } from '../token-rules.ts';
import { ownedTokenById } from './all-api.ts';

interface Props {
  edit: string;
  onClose: () => void;
}

/** Limits of another account's token. */
export const AllTokenDrawer = ({ edit, onClose }: Props) => (
  <RecordDrawer edit={edit} query={ownedTokenById} create={null} onClose={onClose}>
    {(token) => <LimitsForm token={token} onClose={onClose} />}
  </RecordDrawer>
);

/** Fields that administrators may change. */
const fields = ['expired_time', 'remain_quota', 'unlimited_quota', 'limits'] as const;

function LimitsForm({ token, onClose }: { token: OwnedToken; onClose: () => void }) {
  const { t } = useTranslation(['tokenAdmin', 'token']);
  const client = useQueryClient();
  const { name, expired_time, remain_quota, unlimited_quota, limits } = token;
  const form = useForm<TokenInput, unknown, TokenValues>({
    resolver: (values, ...rest) =>
      contractResolver(tokenRules(token, values.unlimited_quota, t('token:expiryPast')))(values, ...rest),
    defaultValues: { name, expired_time, remain_quota, unlimited_quota, limits },
    mode: 'onBlur',
  });
  const { control, formState, handleSubmit } = form;
  const { dirtyFields } = formState;
  const save = useSaving(form, {
    send: (values: TokenValues) => {
      const changed = fields.filter((field) => dirtyFields[field]).map((field) => [field, values[field]]);
      return call(tokenAdminApi.update, { params: { id: token.id }, body: Object.fromEntries(changed) });
    },
    onSaved: () => {
      onClose();
      toast.success(t('token:saved', { name }));
      void refresh(client, tokenAdminApi.list, tokenAdminApi.get);
    },
  });
  return (
    <EditDrawer
      title={t('editLimits')}
      subtitle={
        <>
          {name} <span className="text-text3">#{token.id}</span> <span>{t('ownedBy', { owner: token.username })}</span>{' '}
          <TokenStatus token={token} />
        </>
      }
      changes={countDirty(dirtyFields)}
      busy={save.isPending}
      onSave={handleSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <TokenKeys token={token} />
      {token.use.length > 0 && (
        <DrawerSection title={t('token:useTitle')}>
          <CapUseList uses={token.use} />
        </DrawerSection>
      )}
      <DrawerSection title={t('token:limitTitle')} text={t('token:limitText')}>
        <BudgetField control={control} />
        <QuotaField control={control} used={token.used_quota} foreign />
        <FormExpiry control={control} name="expired_time" />
      </DrawerSection>
      <LimitSections control={control} token={token} limitsOnly />
      <LimitsInWords control={control} />
    </EditDrawer>
  );
}
