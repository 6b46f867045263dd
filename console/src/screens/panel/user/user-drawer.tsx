import { RecordDrawer } from '#list/record-drawer.tsx';
import { userById } from './user-api.ts';
import { UserForm } from './user-form.tsx';

interface Props {
  edit: string;
  onClose: () => void;
}

export function UserDrawer({ edit, onClose }: Props) {
  return (
    <RecordDrawer edit={edit} query={userById} create={<UserForm onClose={onClose} />} onClose={onClose}>
      {(user) => <UserForm user={user} onClose={onClose} />}
    </RecordDrawer>
  );
}
