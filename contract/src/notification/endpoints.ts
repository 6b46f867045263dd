import { endpoints } from '../endpoint.ts';
import type { notificationSchemas } from './notification.ts';

export const notificationApi = endpoints<typeof notificationSchemas>({
  list: 'GET /api/user/notification',
  read: 'POST /api/user/notification/read',
});
