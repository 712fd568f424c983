// How many items there are and what was paid for them, by the generated client: API_URL=… TOKEN=… dotnet run
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using StudioInventory;

public static class Program
{
    public static int Main() => Run().GetAwaiter().GetResult();

    static async Task<int> Run()
    {
        var http = new HttpClient(new Patient(new HttpClientHandler()));
        http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Environment.GetEnvironmentVariable("TOKEN"));
        var client = new InventoryClient(http) { BaseUrl = Environment.GetEnvironmentVariable("API_URL") + "/v1" };

        var items = new List<ItemSummary>();
        string cursor = null;
        int total;
        do
        {
            try
            {
                var page = await client.List_itemsAsync(per_page: 100, cursor: cursor);
                items.AddRange(page.Result.Data);
                total = page.Result.Meta.Total;
                cursor = NextCursor(page.Headers);
            }
            catch (ApiException<Problem> error)
            {
                Console.Error.WriteLine($"{error.Result.Code} {error.Result.Request_id}: {error.Result.Detail}");
                return 1;
            }
        } while (cursor != null);

        var paid = items.Sum(item => (decimal)item.Purchase_price).ToString(CultureInfo.InvariantCulture);
        Console.WriteLine($"{{\"items\":{items.Count},\"total\":{total},\"paid\":{paid}}}");
        return 0;
    }

    /// <summary>The cursor of the next page, from the Link header; null on the last page.</summary>
    static string NextCursor(IReadOnlyDictionary<string, IEnumerable<string>> headers)
    {
        if (!headers.TryGetValue("Link", out var links)) return null;
        var next = Regex.Match(string.Join(", ", links), "[?&]cursor=([^&>]+)[^>]*>; rel=\"next\"");
        return next.Success ? Uri.UnescapeDataString(next.Groups[1].Value) : null;
    }
}

/// <summary>Waits as long as a 429 or 503 says, and asks again.</summary>
public class Patient : DelegatingHandler
{
    public Patient(HttpMessageHandler inner) : base(inner) { }

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellation)
    {
        for (;;)
        {
            var response = await base.SendAsync(request, cancellation);
            if ((int)response.StatusCode != 429 && (int)response.StatusCode != 503) return response;
            await Task.Delay(response.Headers.RetryAfter?.Delta ?? TimeSpan.FromSeconds(1), cancellation);
            response.Dispose();
        }
    }
}
