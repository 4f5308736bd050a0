import assert from 'node:assert/strict'
import type pg from 'pg'

export interface Step {
  readonly title: string
  readonly command: string
}

const pieces = 2

/** From an empty cart to a requested cancellation: five commands for any POSIX shell, to paste one after the other. */
export async function journeyOf(client: pg.Client, baseUrl: string, key: string): Promise<Step[]> {
  const { item_id, stock_id } = await somethingInStock(client)
  const address = 'zip=10115&country_code=DE&region_code=DE-BE&city=Berlin&street=Torstrasse&home=1'
  return [
    {
      title: 'Create a cart.',
      command: `API=${baseUrl}/api/v1; AUTH='Authorization: ${key}'; ${requestInto('CART', 'PUT', 'carts/', '-d name=Demo', '"cart_id":\\([0-9]*\\)')}`,
    },
    {
      title: `Add ${pieces} pieces of item ${item_id} from stock ${stock_id}.`,
      command: `curl -sS -X PUT "$API/carts/$CART/items/" -H "$AUTH" -d 'item_id=${item_id}&stock_id=${stock_id}&quantity=${pieces}'; echo`,
    },
    {
      title: 'List the cart. The group key identifies exactly what is shown.',
      command: requestInto('GROUP', 'GET', 'carts/$CART/items/', '', '"cart_group_key":"\\([^"]*\\)"'),
    },
    {
      title: 'Place the order.',
      command: requestInto(
        'ORDER',
        'PUT',
        'orders/',
        `-d "cart_group_key=$GROUP&${address}"`,
        '"created_order_id":\\([0-9]*\\)',
      ),
    },
    {
      title: 'Cancel the order. In the state zayavka-na-otmen it waits for the decision of the distributor.',
      command: 'curl -sS -X DELETE "$API/orders/$ORDER/" -H "$AUTH"; echo',
    },
  ]
}

/** Prints the response and stores a part of it in a shell variable. */
function requestInto(variable: string, method: string, path: string, form: string, pattern: string): string {
  const request = ['curl -sS', method === 'GET' ? '' : `-X ${method}`, `"$API/${path}"`, '-H "$AUTH"', form]
    .filter(Boolean)
    .join(' ')
  return `ANSWER=$(${request}); echo "$ANSWER"; ${variable}=$(echo "$ANSWER" | sed 's/.*${pattern}.*/\\1/')`
}

/** Orders of earlier runs may have emptied a stock level. */
async function somethingInStock(client: pg.Client): Promise<{ item_id: string; stock_id: string }> {
  const { rows } = await client.query<{ item_id: string; stock_id: string }>(
    `select item_id, stock_id from stock_levels
     where stock_id in (select stock_id from client_stocks where client_id = 1) and on_hand - reserved >= $1
     order by item_id, stock_id
     limit 1`,
    [pieces],
  )
  assert(rows[0], 'All stocks of the demo are empty.')
  return rows[0]
}
