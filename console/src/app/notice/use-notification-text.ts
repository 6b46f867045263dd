import { orderAttentions, type Notification } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { useRefusalText } from '#domain/refusal/refusal-text.ts';
import { formatMoney } from '#ui/format/money.ts';
import { abbreviate, formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { formatDate } from '#ui/format/time.ts';

/** The text of a notification in the language of the console: a title, and facts below it. */
export function useNotificationText(): (of: Notification) => { title: string; detail: string } {
  const { t } = useTranslation(['notification', 'paymentOrder']);
  const refusal = useRefusalText();
  const site = useSiteFormat();
  return ({ kind, object_id: id, params }) => {
    const text = (name: string): string => String(params[name] ?? '');
    const amount = (name: string): number => Number(params[name] ?? 0);
    const sizeOf = (name: string): string =>
      params['measure'] === 'credits' ? formatMoney(amount(name), site) : abbreviate(amount(name));
    const name = text('name') || `#${id}`;
    switch (kind) {
      case 'channelOff':
        return { title: t('channelOff', { name }), detail: text('reason') };
      case 'channelOn':
        return { title: t('channelOn', { name }), detail: '' };
      case 'keyOff':
        return { title: t('keyOff', { name, key: text('key') }), detail: text('reason') };
      case 'keyOn':
        return { title: t('keyOn', { name, key: text('key') }), detail: '' };
      case 'usage':
        return {
          title: t('usage', { name }),
          detail: t('usageText', {
            model: text('model'),
            reported: formatWhole(amount('reported')),
            charged: formatWhole(amount('charged')),
          }),
        };
      case 'order': {
        const attention = orderAttentions.find((each) => each === params['attention']);
        return {
          title: t('order', { number: text('trade_no') }),
          detail: attention && attention !== 'none' ? t(`attentions.${attention}`) : '',
        };
      }
      case 'backupFailed':
        return { title: t('backupFailed'), detail: text('reason') };
      case 'refusals':
        return {
          title: t('refusals', { name: text('username'), calls: formatWhole(amount('calls')) }),
          detail: [text('token'), `${text('status')} ${refusal.named(text('reason'), amount('status'))}`].join(' · '),
        };
      case 'balanceLow':
        return { title: t('balanceLow', { amount: formatMoney(amount('left'), site) }), detail: '' };
      case 'limitNear':
        return {
          title: t('limitNear', { token: text('token') }),
          detail: t('limitText', { used: sizeOf('used'), limit: sizeOf('limit') }),
        };
      case 'tokenExpires':
        return { title: t('tokenExpires', { token: text('token'), date: formatDate(amount('expires')) }), detail: '' };
      case 'planRenews':
        return {
          title: t('planRenews', {
            plan: text('plan'),
            date: formatDate(amount('ends')),
            price: formatMoney(amount('price'), site),
          }),
          detail: amount('missing') > 0 ? t('planMissing', { amount: formatMoney(amount('missing'), site) }) : '',
        };
    }
  };
}
