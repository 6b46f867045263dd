import type { UserGroupRow } from '@relay-hub/contract';
import { RecordDrawer } from '#list/record-drawer.tsx';
import { userGroupById } from './user-group-api.ts';
import { UserGroupForm } from './user-group-form.tsx';

interface Props {
  edit: string;
  onRemove: (group: UserGroupRow) => void;
  onClose: () => void;
}

export function UserGroupDrawer({ edit, onRemove, onClose }: Props) {
  return (
    <RecordDrawer edit={edit} query={userGroupById} create={<UserGroupForm onClose={onClose} />} onClose={onClose}>
      {(group) => <UserGroupForm group={group} onRemove={onRemove} onClose={onClose} />}
    </RecordDrawer>
  );
}
