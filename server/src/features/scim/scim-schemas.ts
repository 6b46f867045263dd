export const coreUser = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const coreGroup = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const enterpriseUser = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const listResponse = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const errorResponse = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** Schemas that a path can name. */
export const schemaNames = [enterpriseUser, coreUser, coreGroup] as const;

/** Most resources in a reply. */
export const MOST_LISTED = 200;

interface Attribute {
  name: string;
  type: 'string' | 'boolean' | 'complex' | 'reference';
  multiValued: boolean;
  description: string;
  required: boolean;
  caseExact: false;
  mutability: 'readWrite' | 'readOnly' | 'immutable';
  returned: 'default';
  uniqueness: 'none' | 'server';
  subAttributes?: Attribute[];
  referenceTypes?: string[];
}

const attribute = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});

const complex = (name: string, description: string, subAttributes: Attribute[], more: Partial<Attribute> = {}) =>
  attribute(name, description, { type: 'complex', subAttributes, ...more });

const userAttributes = [
  attribute('userName', 'Name at the identity provider, by which a person signs in', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('displayName', 'Shown instead of the user name'),
  complex('name', 'Parts of the name', [
    attribute('formatted', 'The whole name'),
    attribute('givenName', 'Given name'),
    attribute('familyName', 'Family name'),
  ]),
  complex(
    'emails',
    'The primary one becomes the address of the account',
    [
      attribute('value', 'Address'),
      attribute('type', 'Such as work'),
      attribute('primary', 'Whether it is the primary one', { type: 'boolean' }),
    ],
    { multiValued: true },
  ),
  attribute('active', 'Whether the account may sign in and its keys work', { type: 'boolean' }),
  complex(
    'groups',
    'Groups of the person',
    ['value', 'display', '$ref', 'type'].map((name) => attribute(name, 'Of the group', { mutability: 'readOnly' })),
    {
      multiValued: true,
      mutability: 'readOnly',
    },
  ),
];

const groupAttributes = [
  attribute('displayName', 'Name, by which the setting TeamsOfGroups finds it', {
    required: true,
    uniqueness: 'server',
  }),
  complex(
    'members',
    'People in the group',
    [
      attribute('value', 'Id of the user', { mutability: 'immutable' }),
      attribute('$ref', 'Address of the user', {
        type: 'reference',
        referenceTypes: ['User'],
        mutability: 'immutable',
      }),
      attribute('display', 'User name', { mutability: 'readOnly' }),
      attribute('type', 'User', { mutability: 'readOnly' }),
    ],
    { multiValued: true },
  ),
];

const enterpriseAttributes = ['employeeNumber', 'costCenter', 'organization', 'division', 'department'].map((name) =>
  attribute(name, 'Stored and returned'),
);

/** The supported features. `base`: address of the service. */
export const serviceProviderConfig = (base: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MOST_LISTED },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer secret',
      description: 'The secret of the connection in the header Authorization',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

/** Users and groups. */
export const resourceTypes = (base: string) =>
  [
    {
      id: 'User',
      endpoint: '/Users',
      schema: coreUser,
      schemaExtensions: [{ schema: enterpriseUser, required: false }],
    },
    { id: 'Group', endpoint: '/Groups', schema: coreGroup, schemaExtensions: [] },
  ].map((type) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    name: type.id,
    description: type.id,
    ...type,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.id}` },
  }));

/** The attributes that have an effect. */
export const schemas = (base: string) =>
  [
    { id: coreUser, name: 'User', description: 'A person', attributes: userAttributes },
    { id: coreGroup, name: 'Group', description: 'A group of people', attributes: groupAttributes },
    { id: enterpriseUser, name: 'EnterpriseUser', description: 'Details', attributes: enterpriseAttributes },
  ].map((schema) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));
