import type { Database } from 'pg-statements/database.ts'
import type { Feature } from '../http/routing/route.ts'
import { blockRoutes } from './block-routes.ts'
import { BlockedClient, ListedClient, OperatorClient, ServedClient } from './client.ts'
import { Contact } from './contact.ts'
import { ErasedContact } from './contacts/erase-contact.ts'
import { ContractTerms } from './contract-terms.ts'
import { Contract, ContractDetail } from './contracts/list-contracts.ts'
import { clientOperatorRoutes } from './operator-routes.ts'
import { clientRoutes } from './routes.ts'

export const clients: Feature<{ slowDb: Database }> = {
  schemas: [
    Contract, ContractDetail, Contact, ErasedContact, ContractTerms, OperatorClient, ListedClient, ServedClient, BlockedClient,
  ], // prettier-ignore
  clientRoutes: () => clientRoutes,
  operatorRoutes: ({ slowDb }) => [...clientOperatorRoutes(slowDb), ...blockRoutes],
}
