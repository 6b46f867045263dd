import { logType, type Notification } from '@relay-hub/contract';
import type { LinkProps } from '@tanstack/react-router';

/** Where the object of a notification is shown. */
export function addressOfNotification({ kind, object_id: id, params }: Notification): Pick<LinkProps, 'to' | 'search'> {
  const text = (name: string): string => String(params[name] ?? '');
  switch (kind) {
    case 'order':
      return { to: '/panel/payment', search: { id } };
    case 'backupFailed':
      return { to: '/panel/setting', search: { tab: 'operation' } };
    case 'refusals':
      return {
        to: '/panel/log',
        search: { log_type: logType.refused, token_id: id, code: text('reason') },
      };
    case 'usage':
      return { to: '/panel/log', search: { request_id: text('request') } };
    case 'balanceLow':
      return { to: '/panel/topup' };
    case 'limitNear':
    case 'tokenExpires':
      return { to: '/panel/token', search: { show: id } };
    default:
      return { to: '/panel/channel', search: { show: id } };
  }
}
