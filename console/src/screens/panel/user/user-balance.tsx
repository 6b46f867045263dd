import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { QuotaDrawer } from '#domain/quota/quota-drawer.tsx';
import { refreshUsers, userById } from './user-api.ts';

export function UserBalance({ id, onClose }: { id: number; onClose: () => void }) {
  const client = useQueryClient();
  const { data, isError } = useQuery(userById(id));
  useEffect(() => {
    if (isError) onClose();
  }, [isError, onClose]);
  const close = () => {
    void refreshUsers(client);
    onClose();
  };
  return data && <QuotaDrawer user={data} onClose={close} />;
}
